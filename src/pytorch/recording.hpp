#pragma once

// A profiler's trace, cut down to the events that say where the GPU's time went. A trace of
// hundreds of megabytes repeats a few names and argument lists over and over: each is kept once.

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "load/byte_stream.hpp"
#include "pytorch/operator_call.hpp"
#include "roofline/recording.hpp"

namespace roofline {

inline constexpr double s_per_us = 1e-6;

using TextId = std::uint32_t;

/// Texts, each kept once.
class TextPool {
 public:
  TextPool() { id(""); }
  TextId id(std::string_view text) {
    const auto found = ids_.find(text);
    if (found != ids_.end()) return found->second;
    const auto id = static_cast<TextId>(texts_.size());
    ids_.emplace(texts_.emplace_back(text), id);
    return id;
  }
  const std::string& at(TextId id) const { return texts_[id]; }
  static constexpr TextId empty = 0;

 private:
  std::deque<std::string> texts_;  ///< keeps the keys of ids_ in place
  std::unordered_map<std::string_view, TextId> ids_;
};

/// What GPUs exchange, as newer profilers say it of the operator that asks for it and of its
/// kernels.
struct RecordedMessage {
  TextId collective = TextPool::empty;  ///< "allreduce"
  TextId type = TextPool::empty;        ///< "BFloat16"
  std::uint64_t in_elements = 0;
  std::uint64_t out_elements = 0;
  std::uint64_t ranks = 0;  ///< GPUs that take part; 0 where it is not said
};

/// An operator (or anything else that the host recorded as a range): times in microseconds.
struct HostRange {
  double start_us = 0;
  double end_us = 0;
  std::uint64_t external_id = 0;
  TextId name = TextPool::empty;
  std::uint32_t thread = 0;     ///< a number of its own
  std::uint32_t arguments = 0;  ///< index in Recording::arguments
  std::uint32_t message = 0;    ///< index in Recording::messages
};

/// A kernel, a copy or a fill on the GPU.
struct GpuActivity {
  double start_us = 0;
  double duration_us = 0;
  std::uint64_t external_id = 0;  ///< the operator that launched it; 0 where it is not said
  std::uint64_t correlation = 0;  ///< the host's call that launched it
  std::uint64_t byte = 0;         ///< that a copy moves
  TextId name = TextPool::empty;
  std::uint32_t device = 0;
  std::uint32_t process = 0;  ///< as the trace numbers it: that of the GPU, or of a rank's
  std::uint32_t message = 0;  ///< index in Recording::messages
  /// Where its event ends; 0 where its arguments do not stand last, or are annotated already.
  std::uint64_t end_byte = 0;

  double end_us() const { return start_us + duration_us; }
};

/// A call of the GPU's runtime or driver that puts work on the GPU.
struct LaunchCall {
  double start_us = 0;
  double end_us = 0;
  std::uint64_t correlation = 0;
  std::uint64_t external_id = 0;
  TextId name = TextPool::empty;
  std::uint32_t thread = 0;
};

struct StepRange {
  double start_us = 0;
  double end_us = 0;
  std::uint32_t process = 0;
};

/// A graph as it was captured.
struct CapturedGraph {
  std::vector<LaunchCall> launches;  ///< in their order
};

/// Shorter ranges of the host explain no gap of the GPU.
inline constexpr double least_long_range_us = 5;

struct Recording {
  TextPool texts;
  std::vector<Arguments> arguments{Arguments()};  ///< each once; the first: none
  bool has_values = false;  ///< arguments that are no tensors, which PyTorch wrote from 1.13 on
  std::vector<RecordedMessage> messages{{}};      ///< the first: none
  std::map<std::uint32_t, RecordedGpu> gpus;      ///< by their numbers
  std::vector<std::string> processes;             ///< by their numbers, as the trace names them
  std::vector<std::uint32_t> process_of_threads;  ///< by the threads' numbers
  std::vector<HostRange> operators;
  std::vector<GpuActivity> activities;
  std::vector<LaunchCall> calls;
  std::vector<StepRange> steps;         ///< ProfilerStep#
  std::vector<CapturedGraph> captured;  ///< of recordings beside this one
  /// What else the host ran and what took it long: calls, functions, ranges that a person named.
  std::vector<HostRange> long_ranges;
  std::size_t half_events = 0;  ///< that begin or end without their other half

  const std::string& name(const HostRange& range) const { return texts.at(range.name); }
  const std::string& name(const GpuActivity& activity) const { return texts.at(activity.name); }
};

/// Reads a Chrome trace as torch.profiler writes it, once from start to end. Throws InputError
/// where the text is not JSON or ends early, and for an event of use whose times are none.
Recording scan_trace(ByteStream& stream);

}  // namespace roofline
