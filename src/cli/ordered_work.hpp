#pragma once

// Pieces of work done on several threads, whose results are used in the order in which the pieces
// were added. At most a few pieces for each thread are under way, so that memory stays the same
// however much there is to do.

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
  using Work = std::function<Evaluation()>;
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
  /// one is done without threads. Throws as add does.
  void finish(Work last);

 private:
  struct Piece {
    Work work;
    std::optional<Evaluation> result;
    std::exception_ptr failure;
    bool done = false;
  };

  void start_threads();
  void do_pieces();
  void use_results();
  void stop();
  void join();
  void rethrow();

  std::size_t jobs_;
  Use use_;
  std::vector<std::thread> threads_;

  std::mutex mutex_;  ///< of all below
  std::condition_variable piece_added_;
  std::condition_variable piece_done_;
  std::condition_variable piece_used_;
  std::deque<std::shared_ptr<Piece>> pieces_;  ///< not used yet, in order
  std::size_t begun_ = 0;                      ///< how many of them are being done, or done
  std::size_t idle_ = 0;                       ///< threads that wait for a piece
  bool all_added_ = false;
  bool stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace roofline
