#include "cli/ordered_work.hpp"

#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace roofline {
namespace {

/// Pieces that may wait beside those that are being done, a job.
constexpr std::size_t pieces_a_job = 3;

}  // namespace

OrderedWork::OrderedWork(std::size_t jobs, Use use) : jobs_(jobs), use_(std::move(use)) {}

OrderedWork::~OrderedWork() { stop(); }

void OrderedWork::add(Work work) {
  if (jobs_ == 1) return use_(work());
  std::unique_lock lock(mutex_);
  piece_used_.wait(lock, [&] { return stopped_ || pieces_.size() < pieces_a_job * jobs_; });
  if (stopped_) {
    lock.unlock();
    rethrow();
  }
  pieces_.push_back(std::make_shared<Piece>(Piece{std::move(work), {}, {}}));
  start_threads();
  piece_added_.notify_one();
}

void OrderedWork::finish(Work last) {
  if (last && threads_.empty()) return use_(last());
  if (last) add(std::move(last));
  {
    const std::lock_guard lock(mutex_);
    all_added_ = true;
  }
  join();
  rethrow();
}

/// One that uses results, and as many that do pieces as there are pieces to do. Where the system
/// gives fewer, these do all.
void OrderedWork::start_threads() try {
  if (threads_.empty()) threads_.emplace_back([this] { use_results(); });
  if (threads_.size() <= jobs_ && pieces_.size() - begun_ > idle_)
    threads_.emplace_back([this] { do_pieces(); });
} catch (const std::system_error& error) {
  if (threads_.size() < 2)
    throw std::runtime_error("no thread can be started (--jobs 1 needs none): " +
                             error.code().message());
}

void OrderedWork::do_pieces() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    piece_added_.wait(lock, [&] { return stopped_ || all_added_ || begun_ < pieces_.size(); });
    --idle_;
    if (stopped_ || begun_ == pieces_.size()) return;
    const std::shared_ptr<Piece> piece = pieces_[begun_++];
    lock.unlock();
    try {
      piece->result = piece->work();
    } catch (...) {
      piece->failure = std::current_exception();
    }
    piece->work = nullptr;
    lock.lock();
    piece->done = true;
    if (piece == pieces_.front()) piece_done_.notify_one();
  }
}

void OrderedWork::use_results() {
  std::unique_lock lock(mutex_);
  while (true) {
    piece_done_.wait(
        lock, [&] { return stopped_ || (pieces_.empty() ? all_added_ : pieces_.front()->done); });
    if (stopped_ || pieces_.empty()) return;
    const std::shared_ptr<Piece> piece = pieces_.front();
    pieces_.pop_front();
    --begun_;
    lock.unlock();
    try {
      if (piece->failure) std::rethrow_exception(piece->failure);
      use_(std::move(*piece->result));
      lock.lock();
    } catch (...) {
      lock.lock();
      failure_ = std::current_exception();
      stopped_ = true;
      piece_added_.notify_all();
    }
    piece_used_.notify_one();
  }
}

void OrderedWork::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  join();
}

/// Wakes the threads, which have been told to end, and waits for them.
void OrderedWork::join() {
  piece_added_.notify_all();
  piece_done_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void OrderedWork::rethrow() {
  stop();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace roofline
