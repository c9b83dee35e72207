#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "model/copies.hpp"
#include "roofline/summary.hpp"

namespace roofline {
namespace {

std::string name_of_input(const Result& result) {
  return result.setting.label + " on " + result.setting.gpu;
}

/// What is the same work in two inputs: a layer's pass and name, or the name of what no layer
/// stands for.
using WorkKey = std::pair<std::optional<Pass>, std::string>;
using WorkTimes = std::map<WorkKey, WorkTime>;

void add(WorkTimes& times, WorkKey key, double count, double time_s) {
  WorkTime& work = times[std::move(key)];
  work.count += count;
  work.time_s += time_s;
}

/// In a recording, copies of a layer have one time, the mean: they are one piece of work.
WorkTimes times_of(const Result& result, bool joins_copies) {
  WorkTimes times;
  for (const LayerResult& row : result.layers) {
    if (!row.measured_time_s) continue;
    const std::string& name = row.layer.name;
    add(times, {row.layer.pass, std::string(joins_copies ? without_copy(name) : name)}, 1,
        *row.measured_time_s);
  }
  if (result.measured.recording)
    for (const UnmodelledWork& work : result.measured.recording->unmodelled)
      add(times, {std::nullopt, work.name}, work.launches, work.time_s);
  return times;
}

RunTotals totals_of(const Result& result, const WorkTimes& times) {
  RunTotals totals;
  for (const auto& [key, work] : times) totals.work_s += work.time_s;
  const auto& recording = result.measured.recording;
  if (recording && recording->span_s > 0 && !recording->times_hold_launches) {
    totals.step_s = recording->span_s;
    totals.busy_s = recording->busy_s;
    totals.idle_s = recording->idle_s();
    totals.launches = recording->launches;
  }
  return totals;
}

/// Changes of one sort, with their sums.
ChangeGroup group_of(std::vector<MeasuredChange> changes) {
  ChangeGroup group;
  for (const MeasuredChange& each : changes) {
    group.before_s += each.before.time_s;
    group.after_s += each.after.time_s;
  }
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
    return std::fabs(a.change_s()) > std::fabs(b.change_s());
  });
  group.work = std::move(changes);
  return group;
}

}  // namespace

MeasuredChanges changes_between(const Result& before, const Result& after) {
  const bool joins_copies = before.measured.recording && after.measured.recording;
  const WorkTimes earlier = times_of(before, joins_copies);
  const WorkTimes later = times_of(after, joins_copies);
  std::vector<MeasuredChange> changed;
  std::vector<MeasuredChange> gone;
  std::vector<MeasuredChange> come;
  for (const auto& [key, work] : earlier) {
    const auto found = later.find(key);
    if (found == later.end())
      gone.push_back({key.second, key.first, work, {}});
    else
      changed.push_back({key.second, key.first, work, found->second});
  }
  for (const auto& [key, work] : later)
    if (!earlier.contains(key)) come.push_back({key.second, key.first, {}, work});
  return {name_of_input(before),       name_of_input(after),      totals_of(before, earlier),
          totals_of(after, later),     group_of(std::move(gone)), group_of(std::move(come)),
          group_of(std::move(changed))};
}

}  // namespace roofline
