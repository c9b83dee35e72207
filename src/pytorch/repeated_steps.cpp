// Steps of a recording without marks of them: a loop's operators repeat, an optimizer ends each.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "pytorch/recording.hpp"
#include "roofline/network.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

/// The outermost operators of the thread that runs the first one, by start.
std::vector<const HostRange*> outermost_operators(const Recording& recording) {
  const auto first = std::ranges::min_element(recording.operators, {}, &HostRange::start_us);
  std::vector<const HostRange*> own;
  for (const HostRange& range : recording.operators)
    if (range.thread == first->thread) own.push_back(&range);
  std::ranges::stable_sort(own, [](const HostRange* a, const HostRange* b) {
    return std::pair(a->start_us, b->end_us) < std::pair(b->start_us, a->end_us);
  });
  double end_us = own.front()->start_us;
  std::erase_if(own, [&](const HostRange* range) {
    if (range->start_us < end_us) return true;
    end_us = range->end_us;
    return false;
  });
  return own;
}

/// The least number of operators that the list consists of, again and again; all if none repeats.
std::size_t period_of(const std::vector<const HostRange*>& operators) {
  const auto is_same = [&](std::size_t a, std::size_t b) {
    return operators[a]->name == operators[b]->name &&
           operators[a]->arguments == operators[b]->arguments;
  };
  // The longest begin of the list that also ends its first i + 1 (Knuth, Morris and Pratt).
  std::vector<std::size_t> begins(operators.size(), 0);
  for (std::size_t i = 1; i < operators.size(); ++i) {
    std::size_t length = begins[i - 1];
    while (length > 0 && !is_same(i, length)) length = begins[length - 1];
    begins[i] = length + (is_same(i, length) ? 1 : 0);
  }
  const std::size_t period = operators.size() - begins.back();
  return operators.size() % period == 0 ? period : operators.size();
}

std::uint64_t elements_of(const TensorArgument* tensor) { return element_count(tensor->sizes); }

/// A stack of equal layers repeats too: there the last operator makes what the first one reads.
bool may_feed(const Recording& recording, const HostRange& last, const HostRange& first) {
  const auto reads = tensors_in(recording.arguments[first.arguments]);
  if (reads.empty()) return true;
  const std::uint64_t read = elements_of(reads.front());
  OperatorCall call;
  call.name = recording.name(last);
  call.arguments = &recording.arguments[last.arguments];
  for (const TensorArgument* tensor : tensors_in(*call.arguments))
    if (elements_of(tensor) == read) return true;
  NetworkSpec made;
  made.layers = read_call(call).layers;
  const Expected<Network> network = infer(made, {});
  return network && !network->layers.empty() && elements(network->layers.back().output) == read;
}

/// Whether the host waits for the GPU before each next run, as a server does.
bool waits_between(const Recording& recording, const std::vector<const HostRange*>& operators,
                   std::size_t period) {
  std::vector<double> waits_us;
  for (const HostRange& range : recording.long_ranges)
    if (range.thread == operators.front()->thread && waits_for_gpu(recording.name(range)))
      waits_us.push_back(range.start_us);
  std::ranges::sort(waits_us);
  for (std::size_t next = period; next < operators.size(); next += period) {
    const auto wait = std::ranges::lower_bound(waits_us, operators[next - 1]->start_us);
    if (wait == waits_us.end() || *wait > operators[next]->start_us) return false;
  }
  return period > 1;
}

/// The ends of an optimizer's steps.
std::vector<double> optimizer_ends(const Recording& recording, std::uint32_t thread) {
  TextId name = TextPool::empty;
  std::vector<double> ends_us;
  for (const HostRange& range : recording.long_ranges) {
    if (range.thread != thread || !recording.name(range).starts_with("Optimizer.step#")) continue;
    if (name == TextPool::empty) name = range.name;
    if (range.name == name) ends_us.push_back(range.end_us);
  }
  std::ranges::sort(ends_us);
  return ends_us;
}

}  // namespace

void mark_repeated_steps(Recording& recording, std::vector<std::string>& notes) {
  if (!recording.steps.empty() || recording.operators.empty()) return;
  const std::vector<const HostRange*> operators = outermost_operators(recording);
  const HostRange& first = *operators.front();
  const std::size_t period = period_of(operators);
  std::vector<double> ends_us = optimizer_ends(recording, first.thread);
  std::string how = "an optimizer ends each";
  const bool repeats = period < operators.size() &&
                       (!ends_us.empty() || waits_between(recording, operators, period) ||
                        !may_feed(recording, *operators.back(), first));
  if (repeats) {
    ends_us.clear();
    for (std::size_t next = period; next < operators.size(); next += period)
      ends_us.push_back(operators[next]->start_us);
    ends_us.push_back(std::numeric_limits<double>::max());
    how = "its operators repeat";
  }
  if (ends_us.size() < 2) return;
  const std::uint32_t process = recording.process_of_threads[first.thread];
  double start_us = std::numeric_limits<double>::lowest();
  for (const double end_us : ends_us) {
    recording.steps.push_back({start_us, end_us, process});
    start_us = end_us;
  }
  notes.push_back(std::to_string(ends_us.size()) + " steps without marks: " + how);
}

}  // namespace roofline
