#include "pytorch/recorder.hpp"

#include <cmath>

#include "roofline/error.hpp"

namespace roofline {
namespace {

bool is_step(const TraceEvent& event) { return event.name.starts_with("ProfilerStep"); }

/// A range of PyTorch's around work between GPUs, which has its tensors.
bool is_exchange(const TraceEvent& event) {
  return event.category == "user_annotation" && event.name.starts_with("nccl:");
}

}  // namespace

std::size_t Recorder::ArgumentHash::operator()(const ArgumentTexts& texts) const {
  std::size_t hash = texts.sizes;
  for (const TextId id : {texts.strides, texts.types, texts.values}) hash = hash * 1'000'003U + id;
  return hash;
}

void Recorder::add(const TraceEvent& event) {
  ++events_;
  if (event.phase != 'X') return;
  // The names of PyTorch 1.8 to 1.12 stand second.
  const std::string_view category = event.category;
  if (category == "cpu_op" || category == "Operator" || is_exchange(event))
    add_operator(event);
  else if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset" ||
           category == "Kernel" || category == "Memcpy" || category == "Memset")
    add_activity(event);
  else if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime")
    add_call(event);
  else if (category == "user_annotation" && is_step(event))
    add_step(event);
  else if (category == "user_annotation" || category == "python_function")
    add_long_range(event);
}

Recorder::Times Recorder::times_of(const TraceEvent& event) const {
  constexpr double longest_us = 1e12;  // twelve days
  if (event.start_us && event.duration_us && std::abs(*event.start_us) < 1e18 &&
      *event.duration_us >= 0 && *event.duration_us < longest_us)
    return {*event.start_us, *event.duration_us};
  throw InputError(source_, "/traceEvents/" + std::to_string(events_ - 1),
                   "expected numbers of microseconds, ts and a dur from 0 to 1e12, got others in "
                   "the event \"" +
                       event.name + "\"");
}

void Recorder::add_operator(const TraceEvent& event) {
  if (is_step(event)) return add_step(event);
  const auto [start_us, duration_us] = times_of(event);
  recording_.operators.push_back({start_us, start_us + duration_us, event.external_id,
                                  recording_.texts.id(event.name), thread_of(event),
                                  arguments_of(event), message_of(event)});
}

void Recorder::add_activity(const TraceEvent& event) {
  const auto [start_us, duration_us] = times_of(event);
  recording_.activities.push_back({start_us, duration_us, event.external_id, event.correlation,
                                   event.byte, recording_.texts.id(event.name),
                                   static_cast<std::uint32_t>(event.device), message_of(event)});
}

/// The runtime has many calls: only those matter that put work on the GPU.
void Recorder::add_call(const TraceEvent& event) {
  add_long_range(event);
  for (const std::string_view part : {"Launch", "Memcpy", "Memset"})
    if (event.name.find(part) != std::string::npos)
      return recording_.calls.push_back({times_of(event).start_us, event.correlation,
                                         event.external_id, recording_.texts.id(event.name),
                                         thread_of(event)});
}

void Recorder::add_step(const TraceEvent& event) {
  const auto [start_us, duration_us] = times_of(event);
  recording_.steps.push_back({start_us, start_us + duration_us});
}

/// These explain, and nothing is counted by them: one without times is passed over.
void Recorder::add_long_range(const TraceEvent& event) {
  const double duration_us = event.duration_us.value_or(0);
  if (!event.start_us || !(duration_us >= least_long_range_us)) return;
  recording_.long_ranges.push_back({*event.start_us, *event.start_us + duration_us, 0,
                                    recording_.texts.id(event.name), thread_of(event), 0});
}

std::uint32_t Recorder::thread_of(const TraceEvent& event) {
  thread_key_.assign(event.process).append(1, '/').append(event.thread);
  const auto next = static_cast<std::uint32_t>(recording_.threads.size());
  const auto [entry, inserted] = thread_ids_.try_emplace(thread_key_, next);
  if (inserted) recording_.threads.push_back(thread_key_);
  return entry->second;
}

std::uint32_t Recorder::arguments_of(const TraceEvent& event) {
  TextPool& texts = recording_.texts;
  const ArgumentTexts key{texts.id(event.sizes), texts.id(event.strides), texts.id(event.types),
                          texts.id(event.values)};
  if (key == ArgumentTexts{}) return 0;
  const auto next = static_cast<std::uint32_t>(recording_.arguments.size());
  const auto [entry, inserted] = argument_ids_.try_emplace(key, next);
  if (inserted) recording_.arguments.push_back(key);
  return entry->second;
}

std::uint32_t Recorder::message_of(const TraceEvent& event) {
  if (event.collective.empty()) return 0;
  recording_.messages.push_back({recording_.texts.id(event.collective),
                                 recording_.texts.id(event.element_type), event.in_elements,
                                 event.out_elements, event.ranks});
  return static_cast<std::uint32_t>(recording_.messages.size() - 1);
}

}  // namespace roofline
