#include "cli/ordered_work.hpp"

#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace roofline {
namespace {

/// Pieces that may wait beside those that are being done, a job.
constexpr std::size_t pieces_a_job = 3;
/// Parts of a piece that may wait or be done and not used yet.
constexpr std::size_t most_parts = 16;

}  // namespace

OrderedWork::OrderedWork(std::size_t jobs, Use use) : jobs_(jobs), use_(std::move(use)) {}

OrderedWork::~OrderedWork() { stop(); }

void OrderedWork::add(Work work) {
  if (jobs_ == 1) return use_(work([this](const Part& part) { use_(part()); }));
  Lock lock(mutex_);
  result_used_.wait(lock, [&] { return stopped_ || pieces_.size() < pieces_a_job * jobs_; });
  if (stopped_) {
    lock.unlock();
    rethrow();
  }
  pieces_.push_back(std::make_shared<Piece>());
  pieces_.back()->work = std::move(work);
  start_threads();
  work_added_.notify_one();
}

void OrderedWork::finish(Work last) {
  Lock lock(mutex_);
  if (last && (jobs_ == 1 || !threads_.empty())) {
    lock.unlock();
    add(std::move(last));
    lock.lock();
  } else if (last) {
    const auto piece = std::make_shared<Piece>();
    piece->work = std::move(last);
    pieces_.push_back(piece);
    ++begun_;
    do_piece(piece, lock);
    if (threads_.empty()) {
      pieces_.clear();
      lock.unlock();
      return use(*piece);
    }
    while (const std::shared_ptr<PartTask> part = next_part()) do_part(part, lock);
  }
  all_added_ = true;
  work_done_.notify_one();
  result_used_.wait(lock, [&] { return stopped_ || pieces_.empty(); });
  lock.unlock();
  rethrow();
}

/// One that uses results, and as many that do work as there is work to do. Where the system gives
/// fewer, these do all.
void OrderedWork::start_threads() try {
  if (stopped_) return;
  if (threads_.empty()) threads_.emplace_back([this] { use_results(); });
  if (threads_.size() <= jobs_ && waiting() > idle_) threads_.emplace_back([this] { do_work(); });
} catch (const std::system_error& error) {
  if (threads_.size() < 2)
    throw std::runtime_error("no thread can be started (--jobs 1 needs none): " +
                             error.code().message());
}

std::size_t OrderedWork::waiting() const {
  std::size_t count = pieces_.size() - begun_;
  for (std::size_t i = 0; i < begun_; ++i)
    for (const std::shared_ptr<PartTask>& part : pieces_[i]->parts) count += part->begun ? 0 : 1;
  return count;
}

void OrderedWork::do_work() {
  Lock lock(mutex_);
  while (true) {
    ++idle_;
    work_added_.wait(lock, [&] {
      return stopped_ || begun_ < pieces_.size() || next_part() || (all_added_ && running_ == 0);
    });
    --idle_;
    if (stopped_) return;
    if (const std::shared_ptr<PartTask> part = next_part())
      do_part(part, lock);
    else if (begun_ < pieces_.size())
      do_piece(std::shared_ptr(pieces_[begun_++]), lock);
    else
      return;
  }
}

void OrderedWork::do_piece(const std::shared_ptr<Piece>& piece, Lock& lock) {
  ++running_;
  lock.unlock();
  try {
    piece->result = piece->work([&](Part part) { add_part(*piece, std::move(part)); });
  } catch (...) {
    piece->failure = std::current_exception();
  }
  piece->work = nullptr;
  lock.lock();
  piece->done = true;
  if (--running_ == 0 && all_added_) work_added_.notify_all();
  work_done_.notify_one();
}

void OrderedWork::do_part(const std::shared_ptr<PartTask>& part, Lock& lock) {
  part->begun = true;
  lock.unlock();
  try {
    part->result = part->work();
  } catch (...) {
    part->failure = std::current_exception();
  }
  part->work = nullptr;
  lock.lock();
  part->done = true;
  work_done_.notify_one();
}

/// Whoever hands on more than is used helps with it, or waits.
void OrderedWork::add_part(Piece& piece, Part work) {
  Lock lock(mutex_);
  if (stopped_) return;
  piece.parts.push_back(std::make_shared<PartTask>());
  piece.parts.back()->work = std::move(work);
  start_threads();
  work_added_.notify_one();
  while (!stopped_ && piece.parts.size() >= most_parts)
    if (const std::shared_ptr<PartTask> part = next_part(piece))
      do_part(part, lock);
    else
      result_used_.wait(lock);
}

std::shared_ptr<OrderedWork::PartTask> OrderedWork::next_part(const Piece& piece) {
  for (const std::shared_ptr<PartTask>& part : piece.parts)
    if (!part->begun) return part;
  return nullptr;
}

std::shared_ptr<OrderedWork::PartTask> OrderedWork::next_part() const {
  for (std::size_t i = 0; i < begun_; ++i)
    if (std::shared_ptr<PartTask> part = next_part(*pieces_[i])) return part;
  return nullptr;
}

std::shared_ptr<OrderedWork::Task> OrderedWork::take_result() {
  if (pieces_.empty()) return nullptr;
  const std::shared_ptr<Piece> piece = pieces_.front();
  if (!piece->parts.empty()) {
    if (!piece->parts.front()->done) return nullptr;
    const std::shared_ptr<PartTask> part = piece->parts.front();
    piece->parts.pop_front();
    return part;
  }
  if (!piece->done) return nullptr;
  pieces_.pop_front();
  --begun_;
  return piece;
}

void OrderedWork::use(Task& task) {
  if (task.failure) std::rethrow_exception(task.failure);
  use_(std::move(*task.result));
}

void OrderedWork::use_results() {
  Lock lock(mutex_);
  while (true) {
    std::shared_ptr<Task> task;
    work_done_.wait(lock, [&] {
      return stopped_ || (task = take_result()) || (pieces_.empty() && all_added_);
    });
    if (stopped_ || !task) return;
    lock.unlock();
    try {
      use(*task);
      task = nullptr;
      lock.lock();
    } catch (...) {
      lock.lock();
      failure_ = std::current_exception();
      stopped_ = true;
      work_added_.notify_all();
    }
    result_used_.notify_all();
  }
}

/// Tells the threads to end, and waits for them.
void OrderedWork::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  work_added_.notify_all();
  work_done_.notify_all();
  result_used_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void OrderedWork::rethrow() {
  stop();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace roofline
