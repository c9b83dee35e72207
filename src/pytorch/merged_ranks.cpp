// Merged recordings of several processes, each with a GPU.

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "pytorch/trace_work.hpp"

namespace roofline {
namespace {

RankGpu gpu_of(const GpuActivity& activity) { return {activity.process, activity.device}; }

/// "[TP01]" of "[TP01] 4711", as some merging tools label ranks.
std::string rank_label(const std::string& process) {
  const std::size_t space = process.rfind(' ');
  return space == process.npos ? "" : process.substr(0, space);
}

/// By process: launches of GPU work, and minus the microseconds until it ran.
using Launchers = std::map<std::uint32_t, std::pair<std::size_t, double>>;

Launchers launchers_of(const RankGpu& gpu, const Recording& recording) {
  std::unordered_map<std::uint64_t, double> starts_us;
  for (const GpuActivity& activity : recording.activities)
    if (gpu_of(activity) == gpu) starts_us.emplace(activity.correlation, activity.start_us);
  Launchers launchers;
  for (const LaunchCall& call : recording.calls) {
    auto& [launches, soonness_us] = launchers[recording.process_of_threads[call.thread]];
    const auto work = starts_us.find(call.correlation);
    if (work == starts_us.end() || call.start_us > work->second) continue;
    ++launches;
    soonness_us += call.start_us - work->second;
  }
  return launchers;
}

/// The process with the GPU's label, or else with the most and soonest launches of its work.
std::uint32_t process_of(const RankGpu& gpu, const Launchers& launchers,
                         const Recording& recording) {
  const std::string label = rank_label(recording.processes[gpu.first]);
  const auto rank_of = [&](const auto& launcher) {
    const bool is_labelled =
        !label.empty() && rank_label(recording.processes[launcher.first]) == label;
    return std::pair(is_labelled, launcher.second);
  };
  return std::ranges::max_element(launchers, {}, rank_of)->first;
}

}  // namespace

RankGpu busiest_gpu(const Recording& recording) {
  std::map<RankGpu, double> time_us;
  for (const GpuActivity& activity : recording.activities)
    time_us[gpu_of(activity)] += activity.duration_us;
  return busiest(time_us);
}

void keep_one_rank(Recording& recording, std::vector<std::string>& notes) {
  if (recording.activities.empty()) return;
  const RankGpu gpu = busiest_gpu(recording);
  const Launchers launchers = launchers_of(gpu, recording);
  if (launchers.size() < 2) return;
  const auto is_of_gpu = [&](const GpuActivity& activity) { return gpu_of(activity) == gpu; };
  const std::uint32_t rank = process_of(gpu, launchers, recording);
  const auto is_other = [&](const auto& range) {
    return recording.process_of_threads[range.thread] != rank;
  };
  const std::size_t all = recording.activities.size();
  std::erase_if(recording.activities, [&](const GpuActivity& each) { return !is_of_gpu(each); });
  std::erase_if(recording.operators, is_other);
  std::erase_if(recording.calls, is_other);
  std::erase_if(recording.long_ranges, is_other);
  std::erase_if(recording.steps, [&](const StepRange& step) { return step.process != rank; });
  notes.push_back("one of " + std::to_string(launchers.size()) + " processes in this file, " +
                  recording.processes[rank] + ", with the busiest GPU; kernels and copies of the " +
                  "others, left out: " + std::to_string(all - recording.activities.size()));
}

}  // namespace roofline
