// Two measured inputs held against each other.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/kernel_names.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Of each sort of change; JSON has all.
constexpr std::size_t most_changes = 10;

std::string change_text(double change_s) { return (change_s > 0 ? "+" : "") + duration(change_s); }

std::string change_ratio(double after, double before) {
  return before > 0 && after > 0 ? ratio_text(after / before) : "";
}

std::string time_or_nothing(double seconds) { return seconds > 0 ? duration(seconds) : ""; }

std::string times_text(double count) { return fmt::format("x{}", std::round(count)); }

/// "relu 32x64 x4", or where their number changed "relu 32x64 x4 -> x2".
std::string name_text(const MeasuredChange& change) {
  const double before = std::round(change.before.count);
  const double after = std::round(change.after.count);
  const bool in_one = before == 0 || after == 0;
  if (in_one || before == after) {
    const double count = std::max(before, after);
    return count > 1 ? change.name + " " + times_text(count) : change.name;
  }
  return change.name + " " + times_text(before) + " -> " + times_text(after);
}

/// "-458.2 us went + 154.2 us came".
class Sum {
 public:
  void add(double seconds, const char* what) {
    if (seconds == 0) return;
    if (text_.empty())
      text_ = duration(seconds) + " " + what;
    else
      text_ +=
          fmt::format(" {} {} {}", seconds < 0 ? '-' : '+', duration(std::fabs(seconds)), what);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// What makes a difference in a sum of times.
bool counts(double part_s, double whole_s) { return std::fabs(part_s) > 1e-3 * whole_s; }

/// Empty where all are of one pass.
std::string pass_text(const MeasuredChange& change, const ChangeGroup& group) {
  const bool one_pass =
      std::all_of(group.work.begin(), group.work.end(),
                  [&](const MeasuredChange& each) { return !each.pass || each.pass == Pass::fwd; });
  return change.pass && !one_pass ? std::string(name_of(*change.pass)) : "";
}

/// What changed in all, in one sum.
std::string changes_sentence(const MeasuredChanges& changes) {
  const RunTotals& before = changes.before_run;
  const RunTotals& after = changes.after_run;
  const bool knows_busy = before.busy_s && after.busy_s;
  const double before_s = knows_busy ? *before.busy_s : before.work_s;
  const double after_s = knows_busy ? *after.busy_s : after.work_s;
  Sum sum;
  sum.add(changes.gone.change_s(), "went");
  sum.add(changes.come.change_s(), "came");
  sum.add(changes.changed.change_s(), "changed");
  // What ran side by side is in the sums of work and not in the busy time.
  const double beside_s = (after_s - before_s) - (after.work_s - before.work_s);
  if (counts(beside_s, std::max(before_s, after_s))) sum.add(beside_s, "side by side");
  return fmt::format("{} {} -> {}{}: {}{}{}\n", knows_busy ? "GPU busy" : "measured",
                     duration(before_s), duration(after_s),
                     before_s > 0 ? ", " + ratio_text(after_s / before_s) : "",
                     change_text(after_s - before_s), sum.text().empty() ? "" : " = ", sum.text());
}

/// The wholes: a step, busy, idle, launches.
Grid run_changes_grid(const MeasuredChanges& changes) {
  Grid grid;
  grid.columns = {{changes.of_kernels ? "in all" : "a step", true},
                  {"before"},
                  {"after"},
                  {"change"},
                  {"ratio"}};
  const RunTotals& before = changes.before_run;
  const RunTotals& after = changes.after_run;
  const auto add_time = [&](const char* name, const std::optional<double>& before_s,
                            const std::optional<double>& after_s) {
    if (before_s && after_s)
      grid.rows.push_back({name, duration(*before_s), duration(*after_s),
                           change_text(*after_s - *before_s), change_ratio(*after_s, *before_s)});
  };
  add_time(changes.of_kernels ? "whole recording" : "whole step", before.step_s, after.step_s);
  add_time("GPU idle", before.idle_s, after.idle_s);
  add_time("GPU busy", before.busy_s, after.busy_s);
  const auto beside = [](const RunTotals& run) {
    return run.busy_s && counts(run.work_s - *run.busy_s, run.work_s);
  };
  if (beside(before) || beside(after)) add_time("all work added up", before.work_s, after.work_s);
  if (before.launches && after.launches)
    grid.rows.push_back({"launches", plain(*before.launches), plain(*after.launches),
                         (*after.launches > *before.launches ? "+" : "") +
                             plain(*after.launches - *before.launches),
                         change_ratio(*after.launches, *before.launches)});
  return grid;
}

/// Work that went, came or changed; what is not shown is a row, so that the rows sum.
Grid change_group_grid(std::string title, const ChangeGroup& group, std::size_t most) {
  Grid grid;
  grid.columns = {
      {std::move(title), true}, {"pass", true}, {"before"}, {"after"}, {"change"}, {"ratio"}};
  const auto add = [&](const std::string& name, const std::string& pass, double before_s,
                       double after_s) {
    grid.rows.push_back({name, pass, time_or_nothing(before_s), time_or_nothing(after_s),
                         change_text(after_s - before_s), change_ratio(after_s, before_s)});
  };
  const std::size_t shown = group.work.size() > most + 1 ? most : group.work.size();
  double shown_before_s = 0;
  double shown_after_s = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const MeasuredChange& each = group.work[i];
    add(name_text(each), pass_text(each, group), each.before.time_s, each.after.time_s);
    shown_before_s += each.before.time_s;
    shown_after_s += each.after.time_s;
  }
  if (shown < group.work.size())
    add(fmt::format("{} more", group.work.size() - shown), "", group.before_s - shown_before_s,
        group.after_s - shown_after_s);
  add("total", "", group.before_s, group.after_s);
  grid.has_total = true;
  drop_columns(grid, std::nullopt, {});
  return grid;
}

/// Names of kernels as their tables have them.
MeasuredChanges shortened_names(MeasuredChanges changes) {
  constexpr std::size_t widest = 60;
  if (!changes.of_kernels) return changes;
  for (ChangeGroup* group : {&changes.gone, &changes.come, &changes.changed})
    for (MeasuredChange& change : group->work)
      change.name = shortened(printable(short_signature(change.name)), widest);
  return changes;
}

}  // namespace

std::string changes_text(const MeasuredChanges& all, std::optional<std::uint64_t> top,
                         const std::function<std::string(const Grid&)>& render) {
  const MeasuredChanges changes = shortened_names(all);
  std::string text = fmt::format("before: {}\nafter: {}\n{}", printable(changes.before),
                                 printable(changes.after), changes_sentence(changes));
  const auto add = [&](const Grid& grid) {
    if (!grid.rows.empty()) text += '\n' + render(grid);
  };
  add(run_changes_grid(changes));
  const auto add_group = [&](const char* title, const ChangeGroup& group) {
    if (!group.work.empty()) add(change_group_grid(title, group, top.value_or(most_changes)));
  };
  add_group("went", changes.gone);
  add_group("came", changes.come);
  add_group("changed", changes.changed);
  return text;
}

}  // namespace roofline
