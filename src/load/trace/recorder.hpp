#pragma once

// Events of a trace, one by one, into a Recording.

#include <cstdint>
#include <string>
#include <unordered_map>

#include "load/trace/recording.hpp"

namespace roofline {

/// One event while it is read: its category may stand behind what depends on it.
struct TraceEvent {
  char phase = '\0';
  std::string category;
  std::string name;
  std::string process;
  std::string thread;
  double start_us = 0;
  double duration_us = 0;
  std::uint64_t external_id = 0;
  std::uint64_t correlation = 0;
  std::uint64_t device = 0;
  std::string grid;
  std::string sizes;
  std::string strides;
  std::string types;
  std::string values;

  void clear() {
    phase = '\0';
    for (std::string* text :
         {&category, &name, &process, &thread, &grid, &sizes, &strides, &types, &values})
      text->clear();
    start_us = duration_us = 0;
    external_id = correlation = device = 0;
  }
};

/// Sorts finished events into a Recording.
class Recorder {
 public:
  void add(const TraceEvent& event);
  void add_device(const std::string& name, std::uint64_t id);
  Recording take() { return std::move(recording_); }

 private:
  struct ArgumentHash {
    std::size_t operator()(const ArgumentTexts& texts) const;
  };

  void add_operator(const TraceEvent& event);
  void add_activity(const TraceEvent& event);
  void add_call(const TraceEvent& event);
  void add_step(const TraceEvent& event);
  std::uint32_t thread_of(const TraceEvent& event);
  std::uint32_t arguments_of(const TraceEvent& event);

  Recording recording_;
  std::string thread_key_;
  std::unordered_map<std::string, std::uint32_t> thread_ids_;
  std::unordered_map<ArgumentTexts, std::uint32_t, ArgumentHash> argument_ids_;
};

}  // namespace roofline
