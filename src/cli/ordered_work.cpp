// Each thread takes the next chunk, which one thread at a time reads, evaluates it, and queues the
// result; the thread that finishes the next chunk in input order uses the queued results. So no
// result waits for unread input, and a thread waits for another only if the queue is full. Long
// records together hold no more values in memory than one record may have.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cli/run.hpp"

namespace roofline {
namespace {

/// Chunks of work: records by the hundred, other inputs whole.
class Chunks {
 public:
  Chunks(std::span<const Expected<std::string>> inputs, const Request& request,
         std::size_t rows_a_record)
      : inputs_(inputs), request_(request), rows_a_record_(rows_a_record) {
    std::vector<std::string> names;
    for (const Expected<std::string>& input : inputs)
      if (input) names.push_back(*input);
    set_ = InputSet(std::move(names), request.report.compare);
  }

  std::optional<Chunk> next() {
    if (records_) return next_records();
    if (!has_more()) return std::nullopt;
    const Expected<std::string>& input = inputs_[next_input_++];
    Chunk chunk{.input = input ? *input : std::string(), .items = {}, .ends_input = true};
    try {
      // An input may span several files, so the set of all names is known.
      chunk.reader = open_input(input.value(), set_, request_.first_line, request_.limits).value();
    } catch (const std::exception&) {
      chunk.items.emplace_back(caught_error(chunk.input, std::nullopt));
    }
    if (!chunk.reader || !chunk.reader->has_records()) return chunk;
    records_ = std::move(chunk.reader);
    first_ = 0;
    return next_records();
  }

  bool has_more() const { return records_ || next_input_ < inputs_.size(); }

 private:
  /// As many records as a chunk holds, or as reading gives without waiting; none at the end.
  Chunk next_records() {
    constexpr std::size_t most_rows = 512;
    Chunk chunk{.input = *inputs_[next_input_ - 1], .items = {}, .first = first_};
    bool at_end = false;
    try {
      do {
        std::optional<Expected<Item>> item = records_->next();
        if (!item) break;
        if (*item) ++first_;
        chunk.items.push_back(std::move(*item));
      } while (chunk.items.size() * rows_a_record_ < most_rows && !records_->may_wait());
      at_end = chunk.items.empty();
    } catch (const std::exception& error) {
      chunk.items.emplace_back(caught_error(chunk.input, std::nullopt));
      at_end = dynamic_cast<const std::bad_alloc*>(&error) == nullptr;
    }
    if (!at_end) return chunk;
    chunk.notes = std::exchange(records_, nullptr)->notes();
    chunk.ends_input = true;
    return chunk;
  }

  std::span<const Expected<std::string>> inputs_;
  const Request& request_;
  std::size_t rows_a_record_;
  InputSet set_;  ///< all names
  std::size_t next_input_ = 0;
  std::shared_ptr<Reader> records_;  ///< of the present input, if it holds records
  std::size_t first_ = 0;            ///< number of its good records so far
};

class Workers {
 public:
  Workers(Chunks chunks, const Evaluator& evaluator, const Request& request, const Submit& use)
      : chunks_(std::move(chunks)),
        evaluator_(evaluator),
        jobs_(request.jobs),
        most_record_byte_(least_byte_a_value * request.limits.values),
        use_(use) {}

  void run() {
    do_chunks();
    while (std::optional<std::thread> thread = take_thread()) thread->join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void do_chunks() {
    while (!stopped_) do_chunk();
  }

  static constexpr std::size_t least_byte_a_value = 2;

  /// Without a result: the end of the inputs, or a failure.
  struct Finished {
    std::optional<Evaluation> result;
    std::exception_ptr failure;
    std::size_t record_byte = 0;  ///< of its longest record
  };

  void do_chunk() {
    std::unique_lock reading(reading_);
    if (stopped_) return;
    const std::size_t number = begun_++;
    const Submit use_in_turn = [&](Evaluation part) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopped_ || done_ == number; });
      lock.unlock();
      if (!stopped_) use_(std::move(part));
    };
    Finished finished;
    try {
      if (std::optional<Chunk> chunk = chunks_.next()) {
        finished.record_byte = longest_record(*chunk);
        await_room(finished.record_byte);
        start_thread();
        reading.unlock();
        finished.result = evaluator_.evaluate(*chunk, use_in_turn);
      }
    } catch (...) {
      finished.failure = std::current_exception();
    }
    finish(number, std::move(finished));
  }

  static std::size_t longest_record(const Chunk& chunk) {
    std::size_t longest = 0;
    for (const Expected<Item>& item : chunk.items)
      if (item) longest = std::max(longest, item->text_byte);
    return longest;
  }

  /// Waits for earlier chunks, which wait for no input.
  void await_room(std::size_t record_byte) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return stopped_ || record_byte_ == 0 || record_byte_ + record_byte <= most_record_byte_;
    });
    record_byte_ += record_byte;
  }

  /// Queues the result, or uses it and those behind it if it is next in order.
  void finish(std::size_t number, Finished finished) {
    const std::size_t most_waiting = 2 * jobs_;
    const bool may_wait = finished.result.has_value();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return stopped_ || done_ == number || (may_wait && waiting_.size() < most_waiting);
    });
    waiting_.emplace(number, std::move(finished));
    while (!stopped_ && !waiting_.empty() && waiting_.begin()->first == done_) {
      Finished next = std::move(waiting_.extract(waiting_.begin()).mapped());
      lock.unlock();
      use(next);
      lock.lock();
      ++done_;
      record_byte_ -= next.record_byte;
      failure_ = next.failure;
      stopped_ = failure_ || !next.result;
      changed_.notify_all();
    }
  }

  void use(Finished& finished) try {
    if (finished.result) use_(*std::move(finished.result));
  } catch (...) {
    finished.failure = std::current_exception();
  }

  /// A single chunk needs no other thread. If the system refuses a thread, fewer do the work.
  void start_thread() try {
    if (threads_.size() + 1 < jobs_ && chunks_.has_more())
      threads_.emplace_back([this] { do_chunks(); });
  } catch (const std::system_error&) {
  }

  std::optional<std::thread> take_thread() {
    const std::lock_guard lock(reading_);
    if (threads_.empty()) return std::nullopt;
    std::optional<std::thread> thread = std::move(threads_.back());
    threads_.pop_back();
    return thread;
  }

  Chunks chunks_;
  const Evaluator& evaluator_;
  const std::size_t jobs_;
  const std::size_t most_record_byte_;
  const Submit& use_;
  std::mutex reading_;  ///< guards chunks_, begun_ and threads_
  std::size_t begun_ = 0;
  std::vector<std::thread> threads_;
  std::mutex mutex_;  ///< guards the members below
  std::condition_variable changed_;
  std::map<std::size_t, Finished> waiting_;  ///< results by chunk
  std::size_t done_ = 0;                     ///< chunks used
  std::size_t record_byte_ = 0;              ///< sum over the other chunks' longest records
  std::atomic<bool> stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace

void evaluate_in_order(std::span<const Expected<std::string>> inputs, const Request& request,
                       const Evaluator& evaluator, const Submit& use) {
  Workers(Chunks(inputs, request, evaluator.rows_a_record()), evaluator, request, use).run();
}

}  // namespace roofline
