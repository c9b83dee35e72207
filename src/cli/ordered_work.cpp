#include "cli/ordered_work.hpp"

#include <system_error>
#include <utility>

namespace roofline {

void OrderedWork::add(Work work, bool may_wait) {
  if (jobs_ == 1) return use_(work(use_));
  Lock lock(mutex_);
  while (!stopped_ && waiting_.size() >= 2 * jobs_)
    if (threads_.empty())
      do_next(lock);
    else
      changed_.wait(lock);
  waiting_.push_back(std::move(work));
  changed_.notify_all();
  if (!may_wait || waiting_.size() > 1) start_thread();
  if (threads_.empty() && !may_wait && !stopped_) do_next(lock);
  const bool stopped = stopped_;
  lock.unlock();
  if (stopped) rethrow();
}

void OrderedWork::finish() {
  {
    const Lock lock(mutex_);
    all_added_ = true;
  }
  changed_.notify_all();
  do_all();
  rethrow();
}

/// Where the system gives fewer threads, these do all, or whoever adds the work.
void OrderedWork::start_thread() try {
  if (idle_ == 0 && threads_.size() < jobs_) threads_.emplace_back([this] { do_all(); });
} catch (const std::system_error&) {
}

void OrderedWork::do_all() {
  Lock lock(mutex_);
  while (!stopped_ && !(all_added_ && waiting_.empty())) {
    if (!waiting_.empty()) {
      do_next(lock);
      continue;
    }
    ++idle_;
    changed_.wait(lock);
    --idle_;
  }
}

void OrderedWork::do_next(Lock& lock) {
  const Work work = std::move(waiting_.front());
  waiting_.pop_front();
  const std::size_t number = begun_++;
  lock.unlock();
  const Submit use_in_turn = [&](Evaluation result) {
    Lock turn(mutex_);
    const bool is_used = await_turn(number, turn);
    turn.unlock();
    if (is_used) use_(std::move(result));
  };
  std::exception_ptr failure;
  try {
    use_in_turn(work(use_in_turn));
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  if (await_turn(number, lock)) {
    ++done_;
    failure_ = failure;
    stopped_ = failure != nullptr;
  }
  changed_.notify_all();
}

/// False where the run ends before it.
bool OrderedWork::await_turn(std::size_t number, Lock& lock) {
  changed_.wait(lock, [&] { return stopped_ || done_ == number; });
  return !stopped_;
}

/// Tells the threads to end, and waits for them.
void OrderedWork::stop() {
  {
    const Lock lock(mutex_);
    stopped_ = stopped_ || !all_added_ || !waiting_.empty();
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
