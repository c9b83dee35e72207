#include "profilers/kernel_list.hpp"

#include <algorithm>
#include <utility>

namespace roofline {
namespace {

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

void KernelList::add(const KernelLaunch& launch) {
  const RecordedKernel& kernel = launch.kernel;
  Device& device = devices_[launch.device];
  device.time_s += kernel.time_s;
  device.launches += kernel.launches;
  device.lacks_starts = device.lacks_starts || !launch.start_s;
  if (launch.start_s)
    device.intervals.push_back({*launch.start_s, *launch.start_s + kernel.time_s});
  // Launches of different sizes have different places on the roofline.
  const std::string key =
      kernel.counters.any() ? kernel.name + '\n' + kernel.grid + '\n' + kernel.block : kernel.name;
  const auto [row, is_new] = device.row_of.try_emplace(key, device.kernels.size());
  if (is_new)
    device.kernels.push_back(kernel);
  else
    add_launch(device.kernels[row->second], kernel);
}

void KernelList::set_busy_time(Device& device, KernelRecording& recording) {
  std::vector<Interval>& intervals = device.intervals;
  if (device.lacks_starts || intervals.empty()) return;
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.from_s < b.from_s; });
  double busy_s = 0;
  double end_s = intervals.front().from_s;
  for (const Interval& interval : intervals) {
    busy_s += std::max(0.0, interval.to_s - std::max(end_s, interval.from_s));
    end_s = std::max(end_s, interval.to_s);
  }
  recording.span_s = end_s - intervals.front().from_s;
  recording.busy_s = std::min(busy_s, *recording.span_s);
}

std::string KernelList::fold_into(KernelRecording& recording) {
  const auto busiest = std::max_element(
      devices_.begin(), devices_.end(),
      [](const auto& a, const auto& b) { return a.second.time_s < b.second.time_s; });
  if (busiest == devices_.end()) return "";
  if (devices_.size() > 1) {
    std::uint64_t others = 0;
    for (const auto& [name, device] : devices_)
      if (name != busiest->first) others += device.launches;
    recording.notes.push_back("kernels of the busiest of " + std::to_string(devices_.size()) +
                              " GPUs; launches on others, left out: " + std::to_string(others));
  }
  set_busy_time(busiest->second, recording);
  recording.kernels = std::move(busiest->second.kernels);
  std::stable_sort(
      recording.kernels.begin(), recording.kernels.end(),
      [](const RecordedKernel& a, const RecordedKernel& b) { return a.time_s > b.time_s; });
  std::string name = busiest->first;
  devices_.clear();
  return name;
}

std::string name_of_recording(std::string_view source) {
  std::string_view name = source.substr(source.find_last_of('/') + 1);
  for (const std::string_view ending : {".gz", ".csv", ".json", ".txt", ".log"})
    if (name.size() > ending.size() && name.ends_with(ending)) name.remove_suffix(ending.size());
  return std::string(name);
}

}  // namespace roofline
