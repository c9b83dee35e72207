#pragma once

// Pieces of work done on several threads, whose results are used in the order in which the pieces
// were added. Threads begin pieces in that order; each uses its own results when all pieces before
// its own are done, so that no result waits for another thread. A piece may submit results before
// it ends.

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "cli/evaluator.hpp"

namespace roofline {

class OrderedWork {
 public:
  using Work = std::function<Evaluation(const Submit&)>;

  /// `use` is called by one thread at a time. With one job all is done by whoever adds it.
  OrderedWork(std::size_t jobs, Submit use) : jobs_(jobs), use_(std::move(use)) {}
  /// Leaves out what is not begun.
  ~OrderedWork() { stop(); }
  OrderedWork(const OrderedWork&) = delete;
  OrderedWork& operator=(const OrderedWork&) = delete;

  /// Waits where much is under way. A piece that `may_wait` begins with the next one or at the end,
  /// so that a single one needs no threads. Throws what an earlier piece or its use threw, after
  /// which nothing more is used.
  void add(Work work, bool may_wait);
  /// Helps, and waits until all is used. Throws as add does.
  void finish();

 private:
  using Lock = std::unique_lock<std::mutex>;

  void start_thread();
  void do_next(Lock& lock);
  void do_all();
  bool await_turn(std::size_t number, Lock& lock);
  void stop();
  void rethrow();

  std::size_t jobs_;
  Submit use_;

  std::mutex mutex_;  ///< guards all below
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  std::deque<Work> waiting_;  ///< pieces that nobody has begun
  std::size_t begun_ = 0;     ///< pieces that somebody has
  std::size_t done_ = 0;      ///< of these, so many are done: the next one's results may be used
  std::size_t idle_ = 0;      ///< threads that wait for work
  bool all_added_ = false;
  bool stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace roofline
