#pragma once

// The events of a trace that explain GPU time; names and arguments that repeat are kept once.

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
  std::deque<std::string> texts_;  ///< a deque keeps the keys of ids_ valid
  std::unordered_map<std::string_view, TextId> ids_;
};

/// An exchange between GPUs, as newer profilers describe it in its operator and kernels.
struct RecordedMessage {
  TextId collective = TextPool::empty;  ///< "allreduce"
  TextId type = TextPool::empty;        ///< "BFloat16"
  std::uint64_t in_elements = 0;
  std::uint64_t out_elements = 0;
  std::uint64_t ranks = 0;  ///< participating GPUs; 0 if unknown
};

struct HostRange {
  double start_us = 0;
  double end_us = 0;
  std::uint64_t external_id = 0;
  TextId name = TextPool::empty;
  std::uint32_t thread = 0;     ///< our number
  std::uint32_t arguments = 0;  ///< index in Recording::arguments
  std::uint32_t message = 0;    ///< index in Recording::messages
};

/// A kernel, a copy or a fill on the GPU.
struct GpuActivity {
  double start_us = 0;
  double duration_us = 0;
  std::uint64_t external_id = 0;  ///< the launching operator; 0 if unknown
  std::uint64_t correlation = 0;  ///< the host's launching call
  std::uint64_t byte = 0;         ///< moved by a copy
  TextId name = TextPool::empty;
  std::uint32_t device = 0;
  std::uint32_t process = 0;  ///< the trace's number of the GPU or of a rank
  std::uint32_t message = 0;  ///< index in Recording::messages

  double end_us() const { return start_us + duration_us; }
};

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

/// Shorter host ranges explain no gap of the GPU.
inline constexpr double least_long_range_us = 5;

struct Recording {
  TextPool texts;
  std::vector<Arguments> arguments{Arguments()};  ///< without duplicates; the first is empty
  bool has_values = false;                        ///< values besides tensors, from PyTorch 1.13 on
  std::vector<RecordedMessage> messages{{}};      ///< the first is empty
  std::map<std::uint32_t, RecordedGpu> gpus;      ///< by number
  std::vector<std::string> processes;             ///< the trace's names, by number
  std::vector<std::uint32_t> process_of_threads;  ///< by thread
  std::vector<HostRange> operators;
  std::vector<GpuActivity> activities;
  std::vector<LaunchCall> calls;
  std::vector<StepRange> steps;  ///< ProfilerStep#
  /// Other long host ranges: calls, functions, ranges named by the user.
  std::vector<HostRange> long_ranges;
  std::size_t half_events = 0;  ///< with a begin or an end alone

  const std::string& name(const HostRange& range) const { return texts.at(range.name); }
  const std::string& name(const GpuActivity& activity) const { return texts.at(activity.name); }
};

/// Reads a Chrome trace once. Throws InputError for invalid or truncated JSON, and for a needed
/// event without valid times.
Recording scan_trace(ByteStream& stream);

}  // namespace roofline
