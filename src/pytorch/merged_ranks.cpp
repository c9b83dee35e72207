// Files that recordings of several processes, each with a GPU, were merged into.

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "pytorch/trace_work.hpp"

namespace roofline {
namespace {

/// One GPU of several in a file that recordings of several processes were merged into, which all
/// may call theirs the first: by the trace's process and number.
using RankGpu = std::pair<std::uint32_t, std::uint32_t>;

RankGpu gpu_of(const GpuActivity& activity) { return {activity.process, activity.device}; }

RankGpu busiest_gpu(const Recording& recording) {
  std::map<RankGpu, double> time_us;
  for (const GpuActivity& activity : recording.activities)
    time_us[gpu_of(activity)] += activity.duration_us;
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::max_element(time_us.begin(), time_us.end(), less)->first;
}

/// "[TP01]" of "[TP01] 4711", as some tools that merge recordings mark what is whose.
std::string rank_label(const std::string& process) {
  const std::size_t space = process.rfind(' ');
  return space == process.npos ? "" : process.substr(0, space);
}

/// Each process's calls, as places in Recording::calls by the process's own count of them.
using CallsOfProcesses = std::map<std::uint32_t, std::unordered_map<std::uint64_t, std::uint32_t>>;

/// The process that shares the GPU's label, else whose calls launched the most of its work, the
/// soonest before it ran.
std::uint32_t process_of(const RankGpu& gpu, const CallsOfProcesses& calls,
                         const Recording& recording) {
  const std::string label = rank_label(recording.processes[gpu.first]);
  std::pair<double, double> best{-1, 0};
  std::uint32_t best_process = 0;
  for (const auto& [process, own] : calls) {
    const bool is_labelled = !label.empty() && rank_label(recording.processes[process]) == label;
    double count = is_labelled ? static_cast<double>(recording.activities.size()) : 0;
    double wait_us = 0;
    for (const GpuActivity& activity : recording.activities) {
      const auto call = gpu_of(activity) == gpu ? own.find(activity.correlation) : own.end();
      if (call == own.end() || recording.calls[call->second].start_us > activity.start_us) continue;
      ++count;
      wait_us += activity.start_us - recording.calls[call->second].start_us;
    }
    if (const std::pair found{count, -wait_us}; found > best) {
      best = found;
      best_process = process;
    }
  }
  return best_process;
}

}  // namespace

void keep_one_rank(Recording& recording, std::vector<std::string>& notes) {
  const auto process_at = [&](std::size_t call) {
    return recording.process_of_threads[recording.calls[call].thread];
  };
  CallsOfProcesses calls;
  for (std::uint32_t i = 0; i < recording.calls.size(); ++i) calls[process_at(i)];
  if (calls.size() < 2 || recording.activities.empty()) return;
  for (std::uint32_t i = 0; i < recording.calls.size(); ++i)
    calls[process_at(i)].try_emplace(recording.calls[i].correlation, i);
  const RankGpu gpu = busiest_gpu(recording);
  const auto is_of_gpu = [&](const GpuActivity& activity) { return gpu_of(activity) == gpu; };
  const std::uint32_t rank = process_of(gpu, calls, recording);
  const auto is_other = [&](const auto& range) {
    return recording.process_of_threads[range.thread] != rank;
  };
  const std::size_t all = recording.activities.size();
  std::erase_if(recording.activities, [&](const GpuActivity& each) { return !is_of_gpu(each); });
  std::erase_if(recording.operators, is_other);
  std::erase_if(recording.calls, is_other);
  std::erase_if(recording.long_ranges, is_other);
  std::erase_if(recording.steps, [&](const StepRange& step) { return step.process != rank; });
  notes.push_back("one of " + std::to_string(calls.size()) + " processes in this file, " +
                  recording.processes[rank] + ", with the busiest GPU; kernels and copies of the " +
                  "others, left out: " + std::to_string(all - recording.activities.size()));
}

}  // namespace roofline
