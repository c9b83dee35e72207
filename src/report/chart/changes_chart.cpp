// What changed between two results, the largest difference first: work that went, came and changed.

#include <fmt/format.h>

#include "report/chart/makers.hpp"
#include "report/sections.hpp"

namespace roofline {
namespace {

constexpr std::size_t most_changed_bars = 14;

struct Difference {
  std::string label;
  double change_s = 0;
};

std::vector<Difference> differences_of(const Changes& changes) {
  std::vector<Difference> all;
  const auto add = [&](std::string_view what, const ChangeGroup& group) {
    for (const AlikeChanges& row : folded_changes(changes, group))
      if (row.change_s() != 0)
        all.push_back({fmt::format("{}: {}", what, printable(name_text(row))), row.change_s()});
  };
  add("went", changes.gone);
  add("came", changes.come);
  add("changed", changes.changed);
  std::ranges::stable_sort(all, std::greater(),
                           [](const Difference& each) { return std::fabs(each.change_s); });
  if (all.size() <= most_changed_bars) return all;
  Difference rest{fmt::format("{} smaller ones", all.size() - most_changed_bars)};
  for (std::size_t i = most_changed_bars; i < all.size(); ++i) rest.change_s += all[i].change_s;
  all.resize(most_changed_bars);
  all.push_back(std::move(rest));
  return all;
}

std::vector<Bar> bars_of(const Changes& changes) {
  std::vector<Bar> bars;
  for (const auto& [label, change_s] : differences_of(changes))
    bars.push_back({.label = label,
                    .note = change_text(change_s),
                    .segments = {{std::fabs(change_s),
                                  change_s < 0 ? Colour::blue : Colour::vermillion, label}}});
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
