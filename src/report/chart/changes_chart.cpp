// Two results as a waterfall: the time before, work that went, came and changed, the time after.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "report/chart/makers.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr std::size_t most_steps = 14;

struct Step {
  std::string label;
  double change_s = 0;
};

std::vector<Step> steps_of(const Changes& changes) {
  std::vector<Step> steps;
  const auto add = [&](std::string_view what, const ChangeGroup& group) {
    for (const AlikeChanges& row : folded_changes(changes, group))
      if (row.change_s() != 0)
        steps.push_back({fmt::format("{}: {}", what, printable(name_text(row))), row.change_s()});
  };
  add("went", changes.gone);
  add("came", changes.come);
  add("changed", changes.changed);
  std::ranges::stable_sort(steps, std::greater(),
                           [](const Step& step) { return std::fabs(step.change_s); });
  if (steps.size() <= most_steps) return steps;
  Step rest{fmt::format("{} smaller ones", steps.size() - most_steps)};
  for (std::size_t i = most_steps; i < steps.size(); ++i) rest.change_s += steps[i].change_s;
  steps.resize(most_steps);
  steps.push_back(std::move(rest));
  return steps;
}

std::vector<Bar> bars_of(const Changes& changes) {
  const auto whole = [](const char* label, double time_s) {
    return Bar{
        .label = label, .note = duration(time_s), .segments = {{time_s, Colour::grey, label}}};
  };
  double now_s = changes.before_run.work_s;
  std::vector<Bar> bars{whole("before", now_s)};
  for (const Step& step : steps_of(changes)) {
    const Colour colour = step.change_s < 0 ? Colour::blue : Colour::vermillion;
    bars.push_back({.label = step.label,
                    .note = change_text(step.change_s),
                    .segments = {{std::fabs(step.change_s), colour, step.label}},
                    .begin = now_s + std::min(step.change_s, 0.0)});
    now_s += step.change_s;
  }
  bars.push_back(whole("after", changes.after_run.work_s));
  return bars;
}

}  // namespace

Chart changes_chart(const Changes& all) {
  const Changes changes = shortened_names(all);
  const double before_s = changes.before_run.work_s;
  const double after_s = changes.after_run.work_s;
  Chart chart{.title = fmt::format("{} -> {} {}: {}", duration(before_s), duration(after_s),
                                   name_of(changes.times), change_text(after_s - before_s))};
  if (before_s > 0) chart.title += ", " + ratio_text(after_s / before_s);
  chart.subtitle = fmt::format("before: {}\nafter: {}", changes.before, changes.after);
  Bars bars{bars_of(changes)};
  chart.caption = "x4: layers alike, together.";
  std::vector<LegendItem> legend;
  using Sign = LegendItem::Sign;
  for (const LegendItem& item : {LegendItem{"less time", Sign::bar, Colour::blue},
                                 LegendItem{"more time", Sign::bar, Colour::vermillion}})
    if (std::ranges::any_of(
            bars.rows, [&](const Bar& bar) { return bar.segments.front().colour == item.colour; }))
      legend.push_back(item);
  chart.panels.push_back({"", std::move(bars), std::move(legend)});
  return chart;
}

}  // namespace roofline
