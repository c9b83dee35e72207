#include <algorithm>
#include <unordered_map>

#include "pytorch/trace_work.hpp"

namespace roofline {
namespace {

using PlaceById = std::unordered_map<std::uint64_t, std::uint32_t>;

/// No id is 0.
std::uint32_t place_of(const PlaceById& places, std::uint64_t id) {
  const auto found = places.find(id);
  return id != 0 && found != places.end() ? found->second : no_index;
}

/// When the host asked for it: kernels run later, the last of a step maybe after its end.
double launch_time_us(const Recording& recording, const GpuActivity& activity,
                      const WorkOrigin& origin) {
  if (origin.call_index != no_index) return recording.calls[origin.call_index].start_us;
  if (origin.operator_index != no_index) return recording.operators[origin.operator_index].start_us;
  return activity.start_us;
}

std::optional<std::size_t> step_at(const std::vector<StepRange>& steps, double time_us) {
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), time_us,
                       [](double time, const StepRange& step) { return time < step.start_us; });
  if (after == steps.begin() || time_us >= std::prev(after)->end_us) return std::nullopt;
  return static_cast<std::size_t>(after - steps.begin() - 1);
}

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
  const auto by_start = [](const auto& a, const auto& b) { return a.start_us < b.start_us; };
  sort_ranges(recording.operators);
  std::stable_sort(recording.activities.begin(), recording.activities.end(), by_start);
  std::sort(recording.steps.begin(), recording.steps.end(), by_start);
  PlaceById operators;
  PlaceById calls;
  for (std::uint32_t i = 0; i < recording.operators.size(); ++i)
    operators.try_emplace(recording.operators[i].external_id, i);
  for (std::uint32_t i = 0; i < recording.calls.size(); ++i)
    calls.try_emplace(recording.calls[i].correlation, i);
  WorkOrigins origins;
  origins.callers = find_callers(recording.operators);
  origins.of_activities.reserve(recording.activities.size());
  for (const GpuActivity& activity : recording.activities) {
    WorkOrigin& origin = origins.of_activities.emplace_back();
    origin.call_index = place_of(calls, activity.correlation);
    const bool has_call = origin.call_index != no_index;
    // Older profilers write the correlation as the External id too, which is no operator's.
    if (!has_call || activity.external_id != activity.correlation)
      origin.operator_index = place_of(operators, activity.external_id);
    if (has_call && origin.operator_index == no_index) {
      const LaunchCall& call = recording.calls[origin.call_index];
      if (call.external_id != call.correlation)
        origin.operator_index = place_of(operators, call.external_id);
      if (origin.operator_index == no_index)
        origin.operator_index =
            innermost_at(recording.operators, origins.callers, call.thread, call.start_us);
    }
    origin.step = step_at(recording.steps, launch_time_us(recording, activity, origin));
  }
  return origins;
}

}  // namespace roofline
