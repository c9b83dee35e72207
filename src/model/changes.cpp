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

std::string name_of_input(const KernelTable& table) {
  return table.recording->name + (table.gpu.empty() ? "" : " on " + table.gpu);
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

std::string name_of_transfer(const Transfer& transfer) {
  return std::string(name_of(transfer.kind)) + (transfer.what.empty() ? "" : " " + transfer.what);
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
  if (const TraceSummary* recording = result.measured.recording.get()) {
    for (const Transfer& each : recording->transfers)
      add(times, {std::nullopt, name_of_transfer(each)}, each.launches, each.time_s);
    for (const UnmodelledWork& work : recording->unmodelled)
      add(times, {std::nullopt, work.name}, work.launches, work.time_s);
  }
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

/// Kernels of one name are one piece of work, whatever their grids.
WorkTimes times_of(const KernelTable& table) {
  WorkTimes times;
  for (const KernelRow& row : table.rows)
    add(times, {std::nullopt, row.kernel.name}, static_cast<double>(row.kernel.launches),
        row.kernel.time_s);
  return times;
}

RunTotals totals_of(const KernelTable& table) {
  RunTotals totals;
  totals.work_s = table.time_s;
  totals.step_s = table.recording->span_s;
  totals.busy_s = table.recording->busy_s;
  if (totals.step_s && totals.busy_s) totals.idle_s = *totals.step_s - *totals.busy_s;
  totals.launches = static_cast<double>(table.launches);
  return totals;
}

/// What went, what came and what changed.
void set_groups(const WorkTimes& earlier, const WorkTimes& later, MeasuredChanges& changes) {
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
  changes.gone = group_of(std::move(gone));
  changes.come = group_of(std::move(come));
  changes.changed = group_of(std::move(changed));
}

}  // namespace

MeasuredChanges changes_between(const Result& before, const Result& after) {
  const bool joins_copies = before.measured.recording && after.measured.recording;
  const WorkTimes earlier = times_of(before, joins_copies);
  const WorkTimes later = times_of(after, joins_copies);
  MeasuredChanges changes;
  changes.before = name_of_input(before);
  changes.after = name_of_input(after);
  changes.before_run = totals_of(before, earlier);
  changes.after_run = totals_of(after, later);
  set_groups(earlier, later, changes);
  return changes;
}

MeasuredChanges changes_between(const KernelTable& before, const KernelTable& after) {
  MeasuredChanges changes;
  changes.before = name_of_input(before);
  changes.after = name_of_input(after);
  changes.before_run = totals_of(before);
  changes.after_run = totals_of(after);
  changes.of_kernels = true;
  set_groups(times_of(before), times_of(after), changes);
  return changes;
}

}  // namespace roofline
