#include "cli/ordered_work.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace roofline {
namespace {

/// Pieces that may be under way, for each job.
constexpr std::size_t pieces_a_job = 4;
/// Results of a piece that may wait for their use.
constexpr std::size_t most_results = 16;

constexpr auto is_waiting = [](const auto& piece) { return !piece.begun; };

}  // namespace

void OrderedWork::add(Work work, bool may_wait) {
  if (jobs_ == 1) return use_(work(use_));
  Lock lock(mutex_);
  while (!stopped_ && pieces_.size() >= pieces_a_job * jobs_)
    if (!do_piece(lock)) changed_.wait(lock);
  if (!stopped_) {
    const bool is_single = std::none_of(pieces_.begin(), pieces_.end(), is_waiting);
    pieces_.emplace_back().work = std::move(work);
    changed_.notify_all();
    if (!may_wait || !is_single) start_thread();
    if (threads_.empty() && !may_wait) do_piece(lock);
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

/// As many as there are jobs with the one that adds, which helps. Where the system gives fewer,
/// these do all.
void OrderedWork::start_thread() try {
  if (idle_ > 0 || threads_.size() + 1 >= jobs_) return;
  threads_.emplace_back([this] {
    Lock lock(mutex_);
    do_all(lock);
  });
} catch (const std::system_error&) {
}

void OrderedWork::do_all(Lock& lock) {
  while (!stopped_ && !(all_added_ && pieces_.empty())) {
    if (do_piece(lock)) continue;
    ++idle_;
    changed_.wait(lock);
    --idle_;
  }
}

bool OrderedWork::do_piece(Lock& lock) {
  const auto piece = std::find_if(pieces_.begin(), pieces_.end(), is_waiting);
  if (piece == pieces_.end()) return false;
  piece->begun = true;
  lock.unlock();
  std::exception_ptr failure;
  try {
    submit(*piece, piece->work([&](Evaluation result) { submit(*piece, std::move(result)); }));
  } catch (...) {
    failure = std::current_exception();
  }
  piece->work = nullptr;
  lock.lock();
  piece->failure = failure;
  piece->done = true;
  use_results(lock);
  return true;
}

void OrderedWork::submit(Piece& piece, Evaluation result) {
  Lock lock(mutex_);
  piece.results.push_back(std::move(result));
  use_results(lock);
  changed_.wait(lock, [&] { return stopped_ || piece.results.size() < most_results; });
}

/// Whoever has a result uses all that are next in order, one thread at a time.
void OrderedWork::use_results(Lock& lock) {
  if (is_using_) return;
  is_using_ = true;
  while (!stopped_ && !pieces_.empty()) {
    Piece& first = pieces_.front();
    if (!first.results.empty()) {
      Evaluation result = std::move(first.results.front());
      first.results.pop_front();
      lock.unlock();
      try {
        use_(std::move(result));
        lock.lock();
      } catch (...) {
        lock.lock();
        failure_ = std::current_exception();
      }
    } else if (first.done) {
      failure_ = first.failure;
      pieces_.pop_front();
    } else {
      break;
    }
    stopped_ = stopped_ || failure_ != nullptr;
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
