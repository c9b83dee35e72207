#include "cli/ordered_work.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace roofline {
namespace {

/// Tasks that may be under way before a piece is added, for each job.
constexpr std::size_t tasks_a_job = 4;
/// Parts of a piece that may be under way.
constexpr std::ptrdiff_t most_parts = 16;

}  // namespace

void OrderedWork::add(Work work, bool may_wait) {
  if (jobs_ == 1) return use_(work([this](const Part& part) { use_(part()); }));
  Lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || tasks_.size() < tasks_a_job * jobs_; });
  if (!stopped_) {
    const bool is_single = waiting_task() == tasks_.end();
    tasks_.emplace_back().work = std::move(work);
    changed_.notify_all();
    if (!may_wait || !is_single) start_thread();
    if (threads_.empty() && !may_wait) do_waiting(lock);
  }
  const bool stopped = stopped_;
  lock.unlock();
  if (stopped) rethrow();
}

void OrderedWork::finish() {
  Lock lock(mutex_);
  all_added_ = true;
  changed_.notify_all();
  do_all(lock);
  lock.unlock();
  rethrow();
}

OrderedWork::Tasks::iterator OrderedWork::waiting_task(const Task* piece) {
  return std::find_if(tasks_.begin(), tasks_.end(), [&](const Task& task) {
    return !task.begun && (piece == nullptr || task.piece == piece);
  });
}

/// Where the system gives fewer threads than jobs, these do all; where it gives none, whoever adds.
void OrderedWork::start_thread() try {
  const std::size_t most = all_added_ ? jobs_ - 1 : jobs_;  // whoever added all helps
  if (stopped_ || idle_ > 0 || threads_.size() >= most) return;
  threads_.emplace_back([this] {
    Lock lock(mutex_);
    do_all(lock);
  });
} catch (const std::system_error&) {
}

/// Whoever does a task that others wait for uses their results as well.
bool OrderedWork::do_waiting(Lock& lock) {
  const auto task = waiting_task();
  if (task == tasks_.end()) return false;
  do_task(task, lock);
  use_results(lock);
  return true;
}

void OrderedWork::do_all(Lock& lock) {
  while (!stopped_ && !(all_added_ && tasks_.empty())) {
    if (do_waiting(lock)) continue;
    ++idle_;
    changed_.wait(lock);
    --idle_;
  }
}

void OrderedWork::do_task(Tasks::iterator task, Lock& lock) {
  task->begun = true;
  lock.unlock();
  try {
    task->result = task->work([&](Part part) { submit_part(task, std::move(part)); });
  } catch (...) {
    task->failure = std::current_exception();
  }
  task->work = nullptr;
  lock.lock();
  task->done = true;
}

/// Whoever submits more than is used helps with it, or waits.
void OrderedWork::submit_part(Tasks::iterator piece, Part part) {
  Lock lock(mutex_);
  if (stopped_) return;
  const auto added = tasks_.emplace(piece);
  added->work = [part = std::move(part)](const Submit&) { return part(); };
  added->piece = &*piece;
  start_thread();
  changed_.notify_all();
  const auto is_part = [&](const Task& task) { return task.piece == &*piece; };
  while (!stopped_ && std::count_if(tasks_.begin(), tasks_.end(), is_part) >= most_parts) {
    if (const auto own = waiting_task(&*piece); own != tasks_.end())
      do_task(own, lock);
    else if (!tasks_.front().done || is_using_)
      changed_.wait(lock);
    use_results(lock);
  }
}

/// One thread at a time, in order, as far as they are done.
void OrderedWork::use_results(Lock& lock) {
  if (is_using_) return;
  is_using_ = true;
  while (!stopped_ && !tasks_.empty() && tasks_.front().done) {
    Tasks used;
    used.splice(used.begin(), tasks_, tasks_.begin());
    lock.unlock();
    std::exception_ptr failure = used.front().failure;
    try {
      if (!failure) use_(std::move(*used.front().result));
    } catch (...) {
      failure = std::current_exception();
    }
    used.clear();
    lock.lock();
    if (failure) failure_ = failure;
    stopped_ = stopped_ || failure;
    changed_.notify_all();
  }
  is_using_ = false;
}

/// Tells the threads to end, and waits for them.
void OrderedWork::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void OrderedWork::rethrow() {
  stop();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace roofline
