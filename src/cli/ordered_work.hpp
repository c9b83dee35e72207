#pragma once

// Pieces of work done on several threads, whose results are used in the order in which the pieces
// were added. A piece may hand on parts of what it does, which other threads help it with, and
// whose results are used in their order before its own. At most a few pieces for each thread, and
// a few parts of each piece, are under way, so that memory stays the same however much there is to
// do.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "cli/evaluation.hpp"

namespace roofline {

class OrderedWork {
 public:
  using Work = std::function<Evaluation(const HandOn&)>;
  using Use = std::function<void(Evaluation)>;

  /// `use` is called on one thread. With one job all is done by whoever adds it.
  OrderedWork(std::size_t jobs, Use use);
  /// Leaves out what is not begun.
  ~OrderedWork();
  OrderedWork(const OrderedWork&) = delete;
  OrderedWork& operator=(const OrderedWork&) = delete;

  /// Waits where much is under way. Throws what an earlier piece or its use threw, after which
  /// nothing more is used.
  void add(Work work);
  /// Adds a last piece, where there is one, and waits until all is used. A piece that is the only
  /// one, and hands on nothing, is done without threads. Throws as add does.
  void finish(Work last);

 private:
  using Lock = std::unique_lock<std::mutex>;

  /// What is done on one thread.
  struct Task {
    std::optional<Evaluation> result;
    std::exception_ptr failure;
    bool done = false;
  };
  struct PartTask : Task {
    Part work;
    bool begun = false;
  };
  struct Piece : Task {
    Work work;
    std::deque<std::shared_ptr<PartTask>> parts;  ///< not used yet, in order
  };

  void start_threads();
  /// Pieces and parts that nobody does yet.
  std::size_t waiting() const;
  void do_work();
  void do_piece(const std::shared_ptr<Piece>& piece, Lock& lock);
  void do_part(const std::shared_ptr<PartTask>& part, Lock& lock);
  void add_part(Piece& piece, Part work);
  /// The first that nobody does yet; null where there is none.
  static std::shared_ptr<PartTask> next_part(const Piece& piece);
  std::shared_ptr<PartTask> next_part() const;
  /// The next in order, if it is done.
  std::shared_ptr<Task> take_result();
  void use(Task& task);
  void use_results();
  void stop();
  void rethrow();

  std::size_t jobs_;
  Use use_;

  std::mutex mutex_;  ///< of all below
  std::condition_variable work_added_;
  std::condition_variable work_done_;
  std::condition_variable result_used_;
  std::vector<std::thread> threads_;
  std::deque<std::shared_ptr<Piece>> pieces_;  ///< not used yet, in order
  std::size_t begun_ = 0;                      ///< how many of them are being done, or done
  std::size_t running_ = 0;                    ///< how many are being done
  std::size_t idle_ = 0;                       ///< threads that wait for work
  bool all_added_ = false;
  bool stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace roofline
