#pragma once

// Pieces of work done on several threads, whose results are used in the order in which the pieces
// were added. A piece may submit results before it ends. At most a few pieces for each thread, and
// a few results of each piece, are kept, so that memory stays the same however much there is to do.

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "cli/evaluator.hpp"

namespace roofline {

class OrderedWork {
 public:
  using Work = std::function<Evaluation(const Submit&)>;
  using Use = std::function<void(Evaluation)>;

  /// `use` is called by one thread at a time. With one job all is done by whoever adds it.
  OrderedWork(std::size_t jobs, Use use) : jobs_(jobs), use_(std::move(use)) {}
  /// Leaves out what is not begun.
  ~OrderedWork() { stop(); }
  OrderedWork(const OrderedWork&) = delete;
  OrderedWork& operator=(const OrderedWork&) = delete;

  /// Helps where much is under way. A piece that `may_wait` begins with the next one or at the end,
  /// so that a single one needs no threads. Throws what an earlier piece or its use threw, after
  /// which nothing more is used.
  void add(Work work, bool may_wait);
  /// Helps, and waits until all is used. Throws as add does.
  void finish();

 private:
  using Lock = std::unique_lock<std::mutex>;

  struct Piece {
    Work work;
    bool begun = false;
    bool done = false;
    std::deque<Evaluation> results;  ///< not used yet
    std::exception_ptr failure;
  };

  void start_thread();
  /// Until all is used.
  void do_all(Lock& lock);
  /// The first piece that nobody does yet. False where there is none.
  bool do_piece(Lock& lock);
  void submit(Piece& piece, Evaluation result);
  void use_results(Lock& lock);
  void stop();
  void rethrow();

  std::size_t jobs_;
  Use use_;

  std::mutex mutex_;  ///< guards all below
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  std::list<Piece> pieces_;  ///< not all used yet, in order
  std::size_t idle_ = 0;     ///< threads that wait for work
  bool is_using_ = false;    ///< some thread uses results
  bool all_added_ = false;
  bool stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace roofline
