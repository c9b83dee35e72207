#include "pytorch/work_origins.hpp"

#include <algorithm>

namespace roofline {
namespace {

void sort_events(Recording& recording) {
  sort_ranges(recording.operators);
  std::stable_sort(
      recording.activities.begin(), recording.activities.end(),
      [](const GpuActivity& a, const GpuActivity& b) { return a.start_us < b.start_us; });
  std::stable_sort(
      recording.calls.begin(), recording.calls.end(),
      [](const LaunchCall& a, const LaunchCall& b) { return a.correlation < b.correlation; });
  std::sort(recording.steps.begin(), recording.steps.end(),
            [](const StepRange& a, const StepRange& b) { return a.start_us < b.start_us; });
}

class OriginFinder {
 public:
  explicit OriginFinder(const Recording& recording)
      : recording_(recording), callers_(find_callers(recording.operators)) {
    for (std::uint32_t i = 0; i < recording.operators.size(); ++i)
      if (const std::uint64_t id = recording.operators[i].external_id; id != 0)
        by_id_.emplace_back(id, i);
    std::sort(by_id_.begin(), by_id_.end());
  }

  WorkOrigins find() && {
    WorkOrigins found;
    found.of_activities.reserve(recording_.activities.size());
    for (const GpuActivity& activity : recording_.activities)
      found.of_activities.push_back(origin_of(activity));
    found.callers = std::move(callers_);
    return found;
  }

 private:
  WorkOrigin origin_of(const GpuActivity& activity) const {
    WorkOrigin origin;
    origin.call_index = find_call(activity.correlation);
    // Older profilers write the correlation as the External id too, which is no operator's.
    const bool is_correlation =
        origin.call_index != no_index && activity.external_id == activity.correlation;
    if (!is_correlation) origin.operator_index = find_operator(activity.external_id);
    if (origin.operator_index == no_index && origin.call_index != no_index) {
      const LaunchCall& call = recording_.calls[origin.call_index];
      if (call.external_id != call.correlation)
        origin.operator_index = find_operator(call.external_id);
      if (origin.operator_index == no_index)
        origin.operator_index =
            innermost_at(recording_.operators, callers_, call.thread, call.start_us);
    }
    origin.step = step_at(launch_time_us(activity, origin));
    return origin;
  }

  std::uint32_t find_operator(std::uint64_t id) const {
    const auto found = std::lower_bound(by_id_.begin(), by_id_.end(), std::pair{id, 0U});
    return id != 0 && found != by_id_.end() && found->first == id ? found->second : no_index;
  }

  std::uint32_t find_call(std::uint64_t correlation) const {
    const auto found = std::lower_bound(
        recording_.calls.begin(), recording_.calls.end(), correlation,
        [](const LaunchCall& call, std::uint64_t wanted) { return call.correlation < wanted; });
    return correlation != 0 && found != recording_.calls.end() && found->correlation == correlation
               ? static_cast<std::uint32_t>(found - recording_.calls.begin())
               : no_index;
  }

  /// When the host asked for it: kernels run later, the last of a step maybe after its end.
  double launch_time_us(const GpuActivity& activity, const WorkOrigin& origin) const {
    if (origin.call_index != no_index) return recording_.calls[origin.call_index].start_us;
    if (origin.operator_index != no_index)
      return recording_.operators[origin.operator_index].start_us;
    return activity.start_us;
  }

  std::optional<std::size_t> step_at(double time_us) const {
    const auto after =
        std::upper_bound(recording_.steps.begin(), recording_.steps.end(), time_us,
                         [](double time, const StepRange& step) { return time < step.start_us; });
    if (after == recording_.steps.begin() || time_us >= std::prev(after)->end_us)
      return std::nullopt;
    return static_cast<std::size_t>(after - recording_.steps.begin() - 1);
  }

  const Recording& recording_;
  std::vector<std::uint32_t> callers_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_id_;
};

}  // namespace

void sort_ranges(std::vector<HostRange>& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const HostRange& a, const HostRange& b) {
    if (a.thread != b.thread) return a.thread < b.thread;
    if (a.start_us != b.start_us) return a.start_us < b.start_us;
    if (a.end_us != b.end_us) return a.end_us > b.end_us;
    if (a.external_id != b.external_id) return a.external_id < b.external_id;
    return a.name < b.name;
  });
}

std::vector<std::uint32_t> find_callers(const std::vector<HostRange>& ranges) {
  std::vector<std::uint32_t> callers(ranges.size(), no_index);
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    const HostRange& own = ranges[i];
    // The last one that has not ended yet is around the next.
    while (!open.empty() &&
           (ranges[open.back()].thread != own.thread || ranges[open.back()].end_us <= own.start_us))
      open.pop_back();
    if (!open.empty()) callers[i] = open.back();
    open.push_back(i);
  }
  return callers;
}

std::uint32_t innermost_at(const std::vector<HostRange>& ranges,
                           const std::vector<std::uint32_t>& callers, std::uint32_t thread,
                           double time_us) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), std::pair{thread, time_us},
                       [](const std::pair<std::uint32_t, double>& wanted, const HostRange& range) {
                         return wanted < std::pair{range.thread, range.start_us};
                       });
  if (after == ranges.begin()) return no_index;
  auto at = static_cast<std::uint32_t>(after - ranges.begin() - 1);
  if (ranges[at].thread != thread) return no_index;
  while (at != no_index && ranges[at].end_us < time_us) at = callers[at];
  return at;
}

WorkOrigins find_origins(Recording& recording) {
  sort_events(recording);
  return OriginFinder(recording).find();
}

}  // namespace roofline
