#pragma once

// Events of a trace, one by one, into a Recording.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "pytorch/recording.hpp"

namespace roofline {

/// One event while it is read: its category may stand behind what depends on it.
struct TraceEvent {
  char phase = '\0';
  std::string category;
  std::string name;
  std::string process;
  std::string thread;
  std::optional<double> start_us;  ///< none where it is no number
  std::optional<double> duration_us;
  std::uint64_t external_id = 0;
  std::uint64_t correlation = 0;
  std::uint64_t device = 0;
  std::uint64_t byte = 0;
  std::uint64_t in_elements = 0;
  std::uint64_t out_elements = 0;
  std::uint64_t ranks = 0;
  std::uint64_t sequence = 0;
  std::string collective;
  std::string element_type;
  std::string grid;
  std::string sizes;
  std::string strides;
  std::string types;
  std::string values;

  void clear() {
    phase = '\0';
    for (std::string* text : {&category, &name, &process, &thread, &collective, &element_type,
                              &grid, &sizes, &strides, &types, &values})
      text->clear();
    start_us.reset();
    duration_us.reset();
    external_id = correlation = device = byte = in_elements = out_elements = ranks = sequence = 0;
  }
};

/// Sorts finished events into a Recording.
class Recorder {
 public:
  explicit Recorder(std::string source) : source_(std::move(source)) {}

  /// Throws InputError for an event of use whose times are none.
  void add(const TraceEvent& event);
  void add_device(RecordedDevice device) { recording_.devices.push_back(std::move(device)); }
  Recording take() { return std::move(recording_); }

 private:
  struct ArgumentHash {
    std::size_t operator()(const ArgumentTexts& texts) const;
  };

  struct Times {
    double start_us;
    double duration_us;
  };
  Times times_of(const TraceEvent& event) const;
  void add_operator(const TraceEvent& event);
  void add_activity(const TraceEvent& event);
  void add_call(const TraceEvent& event);
  void add_step(const TraceEvent& event);
  void add_long_range(const TraceEvent& event);
  std::uint32_t thread_of(const TraceEvent& event);
  std::uint32_t arguments_of(const TraceEvent& event);
  std::uint32_t message_of(const TraceEvent& event);

  std::string source_;
  std::size_t events_ = 0;  ///< seen so far
  Recording recording_;
  std::string thread_key_;
  std::unordered_map<std::string, std::uint32_t> thread_ids_;
  std::unordered_map<ArgumentTexts, std::uint32_t, ArgumentHash> argument_ids_;
};

}  // namespace roofline
