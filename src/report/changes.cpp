#include "results/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "model/ranges.hpp"
#include "report/sections.hpp"

namespace roofline {
namespace {

/// Rows for each kind of change; JSON has all.
constexpr std::size_t most_changes = 10;

std::string change_ratio(double after, double before) {
  return before > 0 && after > 0 ? ratio_text(after / before) : "";
}

std::string time_or_nothing(double seconds) { return seconds > 0 ? duration(seconds) : ""; }

std::string times_text(double count) { return fmt::format("x{}", std::round(count)); }

/// "relu 32x64 x4", or "relu 32x64 x4 -> x2" if the count changed; both names of a renamed layer.
std::string name_text(const Change& change) {
  if (!change.later_name.empty()) return change.name + " -> " + change.later_name;
  const double before = std::round(change.before.count);
  const double after = std::round(change.after.count);
  const bool in_one = before == 0 || after == 0;
  if (in_one || before == after) {
    const double count = std::max(before, after);
    return count > 1 ? change.name + " " + times_text(count) : change.name;
  }
  return change.name + " " + times_text(before) + " -> " + times_text(after);
}

/// Empty if all work is of one pass.
std::string pass_text(const Change& change, const ChangeGroup& group) {
  const bool one_pass = std::ranges::all_of(
      group.work, [&](const Change& each) { return !each.pass || each.pass == Pass::fwd; });
  return change.pass && !one_pass ? std::string(name_of(*change.pass)) : "";
}

std::string changes_sentence(const Changes& changes) {
  const RunTotals& before = changes.before_run;
  const RunTotals& after = changes.after_run;
  const bool knows_busy = before.busy_s && after.busy_s;
  const double before_s = knows_busy ? *before.busy_s : before.work_s;
  const double after_s = knows_busy ? *after.busy_s : after.work_s;
  const std::string_view what = knows_busy ? "GPU busy" : name_of(changes.times);
  return fmt::format("{} {} -> {}{}: {}", what, duration(before_s), duration(after_s),
                     before_s > 0 ? ", " + ratio_text(after_s / before_s) : "",
                     change_text(after_s - before_s));
}

/// The measured work that became slower by most, with its kernels.
void add_slower(Document& document, const Changes& changes) {
  constexpr std::size_t most_named = 3;
  constexpr double least_share = 0.01;
  constexpr std::size_t widest = 60;
  std::vector<const Change*> slower;
  const double least_s = least_share * changes.before_run.work_s;
  for (const Change& each : changes.changed.work)
    if (each.change_s() > least_s && changes.times == ChangesOf::measured) slower.push_back(&each);
  std::ranges::stable_sort(slower, std::greater(), &Change::change_s);
  if (!slower.empty()) document.add_line("slower, the most first:");
  for (const Change* each : first_of(slower, most_named)) {
    const std::string from = shortened(printable(each->before.kernel), widest);
    const std::string to = shortened(printable(each->after.kernel), widest);
    document.add_line(fmt::format("  {}: {}{}{}{}", name_text(*each), change_text(each->change_s()),
                                  to.empty() ? "" : ", by " + to,
                                  from.empty() || from == to ? "" : " in place of ",
                                  from == to ? "" : from));
  }
}

struct RunQuantity {
  std::string_view key;
  std::string_view name;
  std::optional<double> (*of)(const RunTotals&);
  std::string (*text)(double);
  bool only_if_changed = false;
};

constexpr std::array run_quantities = std::to_array<RunQuantity>({
    {"step_s", "whole step", [](const RunTotals& run) { return run.step_s; }, duration},
    {"idle_s", "GPU idle", [](const RunTotals& run) { return run.idle_s; }, duration},
    {"busy_s", "GPU busy", [](const RunTotals& run) { return run.busy_s; }, duration},
    {"work_s", "all work added up", [](const RunTotals& run) { return std::optional(run.work_s); },
     duration},
    {"launches", "launches", [](const RunTotals& run) { return run.launches; },
     [](double count) { return fmt::format("{:.0f}", count); }},
    {"roofline_s", "roofline", [](const RunTotals& run) { return run.roofline_s; }, duration},
    {"time_per_image_s", "an image", [](const RunTotals& run) { return run.time_per_image_s; },
     duration},
    {"images_per_s", "images/s", [](const RunTotals& run) { return run.images_per_s; }, plain},
    {"tokens_per_s", "tokens/s", [](const RunTotals& run) { return run.tokens_per_s; }, plain},
    {"flop", "FLOP", [](const RunTotals& run) { return run.flop; },
     [](double count) { return si(count, ""); }, true},
    {"byte", "bytes", [](const RunTotals& run) { return run.byte; },
     [](double byte) { return si(byte, "B"); }, true},
    {"needed_memory_byte", "memory needed",
     [](const RunTotals& run) { return run.needed_memory_byte; },
     [](double byte) { return si(byte, "B"); }, true},
});

Grid wholes_grid(const Changes& changes) {
  const bool is_expected = changes.times == ChangesOf::expected;
  Grid grid{{left(is_expected || changes.of_kernels ? "in all" : "a step"), right("before"),
             right("after"), right("change"), right("ratio")}};
  const auto has_work_beside = [](const RunTotals& run) {
    return run.busy_s && std::fabs(run.work_s - *run.busy_s) > 1e-3 * run.work_s;
  };
  const bool shows_work =
      is_expected || has_work_beside(changes.before_run) || has_work_beside(changes.after_run);
  for (const RunQuantity& each : run_quantities) {
    const auto before = each.of(changes.before_run);
    const auto after = each.of(changes.after_run);
    if (!before || !after || (each.only_if_changed && *before == *after)) continue;
    const bool is_work = each.key == "work_s";
    if (is_work && !shows_work) continue;
    const bool is_recording = changes.of_kernels && each.key == "step_s";
    grid.add_row({is_work && is_expected ? "expected time"
                  : is_recording         ? "whole recording"
                                         : std::string(each.name),
                  each.text(*before), each.text(*after),
                  (*after > *before ? "+" : "") + each.text(*after - *before),
                  change_ratio(*after, *before)});
  }
  return grid;
}

/// Key of changes that fold into one row.
auto looks_of(const Change& change) {
  const auto looks = [](const WorkTime& work) {
    return std::tuple(work.count, work.time_s, work.flop, work.byte, work.limiter);
  };
  return std::tuple(change.pass, looks(change.before), looks(change.after));
}

/// "dram", or "dram -> math" if it changed.
std::string limiters_text(const WorkTime& before, const WorkTime& after) {
  const std::string from = words(before.limiter);
  const std::string to = words(after.limiter);
  if (from.empty() || to.empty() || from == to) return from.empty() ? to : from;
  return from + " -> " + to;
}

/// Empty without a change.
std::string changed_ratio(double after, double before) {
  return after == before ? "" : change_ratio(after, before);
}

/// Hidden rows become one, so that the rows sum.
Grid change_group_grid(std::string title, const Changes& changes, const ChangeGroup& group,
                       std::size_t most) {
  Grid grid{{left(std::move(title)), left("pass"), right("before"), right("after"), right("change"),
             right("ratio"), right("hardware"), right("kernels"), right("library"),
             right("FLOP", 1), right("bytes", 2), left("limiter", 3)}};
  const auto add = [&](const std::string& name, const std::string& pass, double before_s,
                       double after_s, const std::optional<RatioSplit>& split,
                       const WorkTime& before, const WorkTime& after) {
    const auto part = [&](double RatioSplit::*member) {
      return split ? "x" + plain((*split).*member) : "";
    };
    grid.add_row({name, pass, time_or_nothing(before_s), time_or_nothing(after_s),
                  change_text(after_s - before_s), change_ratio(after_s, before_s),
                  part(&RatioSplit::hardware), part(&RatioSplit::kernels),
                  part(&RatioSplit::library), changed_ratio(after.flop, before.flop),
                  changed_ratio(after.byte, before.byte), limiters_text(before, after)});
  };
  const std::vector<AlikeChanges> rows = folded_changes(changes, group);
  const auto changed = static_cast<std::size_t>(
      std::ranges::count_if(rows, [](const AlikeChanges& row) { return row.change_s() != 0; }));
  const bool cuts = changed > most + 1 || changed < rows.size();
  const std::size_t shown = cuts ? std::min(changed, most) : rows.size();
  std::size_t shown_work = 0;
  double shown_before_s = 0;
  double shown_after_s = 0;
  for (const AlikeChanges& row : std::span(rows).first(shown)) {
    const auto times = static_cast<double>(row.times);
    const double before_s = times * row.first.before.time_s;
    const double after_s = times * row.first.after.time_s;
    add(name_text(row), pass_text(row.first, group), before_s, after_s, row.first.split,
        row.first.before, row.first.after);
    shown_work += row.times;
    shown_before_s += before_s;
    shown_after_s += after_s;
  }
  if (shown < rows.size())
    add(fmt::format("{} {}", group.work.size() - shown_work,
                    shown < changed ? "more" : "unchanged"),
        "", group.before_s - shown_before_s, group.after_s - shown_after_s, {}, {}, {});
  add("total", "", group.before_s, group.after_s, group.split, {}, {});
  return grid;
}

constexpr std::string_view split_legend =
    "ratio = hardware x kernels x library. hardware: of the roofline bounds. kernels: of\n"
    "the expected time over the bound, what a good library makes of the hardware.\n"
    "library: of the measured time over the expected, what this library loses.";

}  // namespace

std::vector<AlikeChanges> folded_changes(const Changes& changes, const ChangeGroup& group) {
  std::vector<AlikeChanges> rows;
  std::map<decltype(looks_of(Change())), std::size_t> row_of;
  for (const Change& each : group.work) {
    if (changes.times == ChangesOf::expected)
      if (const auto [row, is_new] = row_of.try_emplace(looks_of(each), rows.size()); !is_new) {
        ++rows[row->second].times;
        continue;
      }
    rows.push_back({each});
  }
  std::ranges::stable_sort(rows, std::greater(),
                           [](const AlikeChanges& row) { return std::fabs(row.change_s()); });
  return rows;
}

std::string name_text(const AlikeChanges& alike) {
  const std::string name = name_text(alike.first);
  return alike.times > 1 ? name + " " + times_text(static_cast<double>(alike.times)) : name;
}

std::string change_text(double change_s) { return (change_s > 0 ? "+" : "") + duration(change_s); }

Changes shortened_names(Changes changes) {
  constexpr std::size_t widest = 60;
  if (!changes.of_kernels) return changes;
  for (ChangeGroup* group : {&changes.gone, &changes.come, &changes.changed})
    for (Change& change : group->work)
      change.name = shortened(printable(short_signature(change.name)), widest);
  return changes;
}

void write_run(JsonWriter& w, std::string_view name, const RunTotals& run) {
  w.key(name).begin_object();
  for (const RunQuantity& each : run_quantities) w.member(each.key, each.of(run));
  w.end_object();
}

void add_changes(Document& document, const Changes& all, std::optional<std::uint64_t> top) {
  const Changes changes = shortened_names(all);
  document.add_line("before: " + printable(changes.before));
  document.add_line("after: " + printable(changes.after));
  document.add_line(changes_sentence(changes));
  add_slower(document, changes);
  const auto add = [&](Grid grid) {
    document.add_gap();
    document.add_table({std::move(grid)});
  };
  add(wholes_grid(changes));
  const auto add_group = [&](const char* title, const ChangeGroup& group) {
    if (!group.work.empty())
      add(change_group_grid(title, changes, group, top.value_or(most_changes)));
  };
  add_group("went", changes.gone);
  add_group("came", changes.come);
  add_group("changed", changes.changed);
  if (changes.changed.split) document.add_line(std::string(split_legend));
}

}  // namespace roofline
