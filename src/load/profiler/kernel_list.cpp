#include "load/profiler/kernel_list.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace roofline {
namespace {

std::map<std::string, double> time_by_device(const std::vector<KernelLaunch>& launches) {
  std::map<std::string, double> time_s;
  for (const KernelLaunch& launch : launches) time_s[launch.device] += launch.kernel.time_s;
  return time_s;
}

/// Leaves the launches of the GPU that worked the longest.
void keep_busiest_device(std::vector<KernelLaunch>& launches, std::vector<std::string>& notes) {
  const std::map<std::string, double> time_s = time_by_device(launches);
  if (time_s.size() < 2) return;
  const auto busiest =
      std::max_element(time_s.begin(), time_s.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto all = launches.size();
  std::erase_if(launches,
                [&](const KernelLaunch& launch) { return launch.device != busiest->first; });
  notes.push_back("kernels of the busiest of " + std::to_string(time_s.size()) +
                  " GPUs; launches on others, left out: " + std::to_string(all - launches.size()));
}

void set_busy_time(const std::vector<KernelLaunch>& launches, KernelRecording& recording) {
  std::vector<std::pair<double, double>> intervals;
  for (const KernelLaunch& launch : launches) {
    if (!launch.start_s) return;
    intervals.emplace_back(*launch.start_s, *launch.start_s + launch.kernel.time_s);
  }
  if (intervals.empty()) return;
  std::sort(intervals.begin(), intervals.end());
  double busy_s = 0;
  double end_s = intervals.front().first;
  for (const auto& [from_s, to_s] : intervals) {
    busy_s += std::max(0.0, to_s - std::max(end_s, from_s));
    end_s = std::max(end_s, to_s);
  }
  recording.span_s = end_s - intervals.front().first;
  recording.busy_s = std::min(busy_s, *recording.span_s);
}

/// What one launch lacks, the sum over all lacks too.
void add_counters(KernelCounters& sum, const KernelCounters& counters) {
  const auto add = [](std::optional<double>& to, const std::optional<double>& value) {
    to = to && value ? std::optional(*to + *value) : std::nullopt;
  };
  for (const Engine engine : enumerators<Engine>) add(sum.flop[engine], counters.flop[engine]);
  add(sum.dram_byte, counters.dram_byte);
  add(sum.l2_byte, counters.l2_byte);
}

void add_launch(RecordedKernel& sum, const RecordedKernel& launch) {
  sum.launches += launch.launches;
  sum.time_s += launch.time_s;
  if (sum.grid != launch.grid) sum.grid.clear();
  if (sum.block != launch.block) sum.block.clear();
  if (launch.occupancy) sum.occupancy = launch.occupancy;
  if (launch.registers) sum.registers = launch.registers;
  add_counters(sum.counters, launch.counters);
}

}  // namespace

std::string KernelList::fold_into(KernelRecording& recording) {
  keep_busiest_device(launches_, recording.notes);
  set_busy_time(launches_, recording);
  std::string device = launches_.empty() ? "" : launches_.front().device;
  const bool has_counters =
      std::any_of(launches_.begin(), launches_.end(),
                  [](const KernelLaunch& launch) { return launch.kernel.counters.any(); });
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> row_of;
  std::vector<RecordedKernel>& kernels = recording.kernels;
  for (KernelLaunch& launch : launches_) {
    RecordedKernel& kernel = launch.kernel;
    const auto key = has_counters ? std::tuple(kernel.name, kernel.grid, kernel.block)
                                  : std::tuple(kernel.name, std::string(), std::string());
    const auto [entry, is_new] = row_of.try_emplace(key, kernels.size());
    if (is_new)
      kernels.push_back(std::move(kernel));
    else
      add_launch(kernels[entry->second], kernel);
  }
  launches_.clear();
  std::stable_sort(
      kernels.begin(), kernels.end(),
      [](const RecordedKernel& a, const RecordedKernel& b) { return a.time_s > b.time_s; });
  return device;
}

std::string name_of_recording(std::string_view source) {
  std::string_view name = source.substr(source.find_last_of('/') + 1);
  for (const std::string_view ending : {".gz", ".csv", ".json", ".txt", ".log"})
    if (name.size() > ending.size() && name.ends_with(ending)) name.remove_suffix(ending.size());
  return std::string(name);
}

}  // namespace roofline
