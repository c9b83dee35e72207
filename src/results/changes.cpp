#include "results/changes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/layer_fields.hpp"
#include "model/ranges.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"
#include "results/kernel_table.hpp"
#include "results/steps.hpp"
#include "roofline/report.hpp"

namespace roofline {
namespace {

std::string name_of_input(const Result& result) {
  return result.setting.label + " on " + result.setting.gpu;
}

/// ", fp16, batch 8, training, by pytorch"
std::string setting_text(const Setting& setting) {
  std::string text = ", ";
  text += setting.dtype ? name_of(*setting.dtype) : "mixed types";
  if (setting.batch) text += ", batch " + std::to_string(*setting.batch);
  if (setting.training)
    text += ", training";
  else if (setting.pass && *setting.pass != Pass::fwd)
    text += ", " + std::string(name_of(*setting.pass));
  if (setting.layout) text += ", " + std::string(name_of(*setting.layout));
  if (setting.framework) text += ", by " + std::string(name_of(*setting.framework));
  return text;
}

/// A layer's pass and name, or the name of work without a layer.
using WorkKey = std::pair<std::optional<Pass>, std::string>;

struct Work {
  WorkTime time;
  const LayerResult* row = nullptr;  ///< of the first one; null for work without a layer
};
using AllWork = std::map<WorkKey, Work>;

struct Side {
  std::string name;
  AllWork work{};
  RunTotals run{};

  Work& add(WorkKey key, double count, double time_s, const LayerResult* row = nullptr) {
    Work& same = work[std::move(key)];
    same.time.count += count;
    same.time.time_s += time_s;
    if (same.row == nullptr) same.row = row;
    return same;
  }
  void sum_up() {
    for (const auto& [key, each] : work) run.work_s += each.time.time_s;
  }
};

/// In a recording, copies of a layer have one mean time: they are one piece of work.
Side measured_side(const Result& result, bool joins_copies) {
  Side side{name_of_input(result)};
  for (const LayerResult& row : result.layers) {
    if (!row.measured_time_s) continue;
    const std::string& name = row.layer.name;
    WorkTime& work =
        side.add({row.layer.pass, std::string(joins_copies ? without_copy(name) : name)}, 1,
                 *row.measured_time_s, &row)
            .time;
    if (work.kernel.empty()) work.kernel = row.measured->kernel;
    if (!is_of_counted_work(row)) continue;
    work.roofline_s += row.point.roofline_time_s;
    work.expected_s += row.expected_time_s().value_or(0);
  }
  const TraceSummary no_recording;
  const auto& recording = result.measured.recording ? *result.measured.recording : no_recording;
  for (const Transfer& each : recording.transfers)
    side.add({std::nullopt,
              std::string(name_of(each.kind)) + (each.what.empty() ? "" : " ") + each.what},
             each.launches, each.time_s);
  for (const UnmodelledWork& work : recording.unmodelled)
    side.add({std::nullopt, work.name}, work.launches, work.time_s);
  side.sum_up();
  if (recording.span_s > 0 && !recording.times_hold_launches) {
    side.run.step_s = recording.step_s();
    side.run.busy_s = recording.busy_s;
    side.run.idle_s = std::max(0.0, recording.step_s() - recording.busy_s);
    side.run.launches = recording.launches;
  }
  return side;
}

Side expected_side(const Result& result) {
  Side side{name_of_input(result) + setting_text(result.setting)};
  for (const LayerResult& row : result.layers) {
    WorkTime& work = side.add({row.layer.pass, row.layer.name}, 1, time_s(row), &row).time;
    work.flop += static_cast<double>(row.counts.flops);
    work.byte += static_cast<double>(row.counts.bytes.total);
    if (!work.limiter && row.kernel) work.limiter = row.kernel->limiter();
  }
  side.sum_up();
  RunTotals& run = side.run;
  run.roofline_s = result.total.roofline_time_s;
  run.flop = static_cast<double>(result.total.flops);
  run.byte = static_cast<double>(result.total.bytes.total);
  if (const auto byte = needed_memory_byte(result))
    run.needed_memory_byte = static_cast<double>(*byte);
  if (result.setting.tokens && run.work_s > 0) {
    run.tokens_per_s = static_cast<double>(*result.setting.tokens) / run.work_s;
  } else if (result.setting.batch && run.work_s > 0) {
    const auto batch = static_cast<double>(*result.setting.batch);
    run.time_per_image_s = run.work_s / batch;
    run.images_per_s = batch / run.work_s;
  }
  return side;
}

/// Kernels with one name are one piece of work, whatever their grids.
Side kernel_side(const KernelTable& table) {
  const KernelRecording& recording = *table.recording;
  Side side{recording.name + (table.gpu.empty() ? "" : " on " + table.gpu)};
  for (const KernelRow& row : table.rows)
    side.add({std::nullopt, row.kernel.name}, static_cast<double>(row.kernel.launches),
             row.kernel.time_s);
  side.run.work_s = table.time_s;
  side.run.step_s = recording.span_s;
  side.run.busy_s = recording.busy_s;
  if (recording.span_s && recording.busy_s) side.run.idle_s = *recording.span_s - *recording.busy_s;
  side.run.launches = static_cast<double>(table.launches);
  return side;
}

std::optional<RatioSplit> split_of(const WorkTime& before, const WorkTime& after) {
  if (!(before.roofline_s > 0 && before.expected_s > 0 && before.time_s > 0) ||
      !(after.roofline_s > 0 && after.expected_s > 0 && after.time_s > 0))
    return std::nullopt;
  const double hardware = after.roofline_s / before.roofline_s;
  const double expected = after.expected_s / before.expected_s;
  return RatioSplit{hardware, expected / hardware, after.time_s / before.time_s / expected};
}

/// Splits the ratio of each layer's measured times, and of the sums if all work is layers.
void split_ratios(ChangeGroup& group) {
  const auto add = [](WorkTime& sum, const WorkTime& each) {
    sum.time_s += each.time_s;
    sum.roofline_s += each.roofline_s;
    sum.expected_s += each.expected_s;
  };
  WorkTime before;
  WorkTime after;
  bool all = true;
  for (Change& each : group.work) {
    each.split = split_of(each.before, each.after);
    all = all && each.split;
    add(before, each.before);
    add(after, each.after);
  }
  if (all) group.split = split_of(before, after);
}

ChangeGroup group_of(std::vector<Change> changes) {
  ChangeGroup group;
  for (const Change& each : changes) {
    group.before_s += each.before.time_s;
    group.after_s += each.after.time_s;
  }
  std::ranges::stable_sort(changes, std::greater(),
                           [](const Change& each) { return std::fabs(each.change_s()); });
  group.work = std::move(changes);
  return group;
}

bool are_of_one_kind(const Work& a, const Work& b) {
  return a.row == nullptr || b.row == nullptr || a.row->layer.kind == b.row->layer.kind;
}

std::vector<Change> take_same_names(AllWork& earlier, AllWork& later) {
  std::vector<Change> changed;
  for (auto work = earlier.begin(); work != earlier.end();) {
    const auto found = later.find(work->first);
    if (found == later.end() || !are_of_one_kind(work->second, found->second)) {
      ++work;
      continue;
    }
    const auto& [pass, name] = work->first;
    changed.push_back({name, "", pass, work->second.time, found->second.time});
    later.erase(found);
    work = earlier.erase(work);
  }
  return changed;
}

/// Moves layers equal in all but their names, in network order.
void take_same_layers(AllWork& earlier, AllWork& later, std::vector<Change>& changed) {
  const auto in_order = [](AllWork& all) {
    std::vector<AllWork::iterator> layers;
    for (auto each = all.begin(); each != all.end(); ++each)
      if (each->second.row != nullptr) layers.push_back(each);
    std::ranges::sort(layers, {}, [](const auto& each) { return each->second.row; });
    return layers;
  };
  const auto identity_of = [](const auto& each) {
    return identity(stated(each->second.row->layer));
  };
  std::multimap<LayerSpec, AllWork::iterator> by_identity;
  for (const auto& each : in_order(later)) by_identity.emplace(identity_of(each), each);
  for (const auto& work : in_order(earlier)) {
    const auto found = by_identity.find(identity_of(work));
    if (found == by_identity.end()) continue;
    const auto& [pass, name] = work->first;
    changed.push_back(
        {name, found->second->first.second, pass, work->second.time, found->second->second.time});
    later.erase(found->second);
    by_identity.erase(found);
    earlier.erase(work);
  }
}

Changes changes_between(Side before, Side after, ChangesOf times) {
  std::vector<Change> changed = take_same_names(before.work, after.work);
  if (times == ChangesOf::expected) take_same_layers(before.work, after.work, changed);
  const auto gone = [](const auto& each) {
    return Change{each.first.second, "", each.first.first, each.second.time, {}};
  };
  const auto come = [](const auto& each) {
    return Change{each.first.second, "", each.first.first, {}, each.second.time};
  };
  return {.before = std::move(before.name),
          .after = std::move(after.name),
          .times = times,
          .before_run = before.run,
          .after_run = after.run,
          .gone = group_of(each_of(before.work, gone)),
          .come = group_of(each_of(after.work, come)),
          .changed = group_of(std::move(changed))};
}

}  // namespace

Changes changes_between(const Result& before, const Result& after) {
  if (!before.measured.summary || !after.measured.summary)
    return changes_between(expected_side(before), expected_side(after), ChangesOf::expected);
  const bool joins_copies = before.measured.recording && after.measured.recording;
  Changes changes = changes_between(measured_side(before, joins_copies),
                                    measured_side(after, joins_copies), ChangesOf::measured);
  if (before.setting.gpu != after.setting.gpu) split_ratios(changes.changed);
  return changes;
}

Changes changes_between(const KernelTable& before, const KernelTable& after) {
  Changes changes = changes_between(kernel_side(before), kernel_side(after), ChangesOf::measured);
  changes.of_kernels = true;
  return changes;
}

}  // namespace roofline
