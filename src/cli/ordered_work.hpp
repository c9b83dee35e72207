#pragma once

// Pieces of work done on several threads, whose results are used in the order in which the pieces
// were added. A piece may submit parts of what it does, which other threads help it with, and whose
// results are used in their order before its own. At most a few pieces for each thread, and a few
// parts of each piece, are under way, so that memory stays the same however much there is to do.

#include <condition_variable>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
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

  /// Waits where much is under way. A piece that `may_wait` begins with the next one or at the end,
  /// so that a single one needs no threads. Throws what an earlier piece or its use threw, after
  /// which nothing more is used.
  void add(Work work, bool may_wait);
  /// Helps, and waits until all is used. Throws as add does.
  void finish();

 private:
  using Lock = std::unique_lock<std::mutex>;

  struct Task {
    Work work;
    const Task* piece = nullptr;  ///< that it is a part of
    bool begun = false;
    bool done = false;
    std::optional<Evaluation> result;
    std::exception_ptr failure;
  };
  using Tasks = std::list<Task>;

  /// The first that nobody does yet, of all or of a piece's parts.
  Tasks::iterator waiting_task(const Task* piece = nullptr);
  void start_thread();
  /// Does the first of all, if there is one.
  bool do_waiting(Lock& lock);
  /// Until all is used.
  void do_all(Lock& lock);
  void do_task(Tasks::iterator task, Lock& lock);
  void submit_part(Tasks::iterator piece, Part part);
  void use_results(Lock& lock);
  void stop();
  void rethrow();

  std::size_t jobs_;
  Use use_;

  std::mutex mutex_;  ///< of all below
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  Tasks tasks_;            ///< not used yet, in order: the parts of a piece before it
  std::size_t idle_ = 0;   ///< threads that wait for work
  bool is_using_ = false;  ///< some thread uses results
  bool all_added_ = false;
  bool stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace roofline
