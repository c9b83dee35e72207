// GPUs side by side.

#include <fmt/format.h>

#include <algorithm>

#include "report/chart/layers.hpp"
#include "report/chart/makers.hpp"
#include "report/chart/roofs.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

bool is_same_work(const ComparisonRow& a, const ComparisonRow& b) {
  return a.name == b.name && a.batch == b.batch;
}

Bar bar_of(const ComparisonRow& row) {
  Bar bar;
  bar.label = row.gpu;
  bar.note = fmt::format("{}, {}", duration(row.time_s), factor(row.speedup));
  if (row.batch && *row.batch > 0)
    bar.note += fmt::format(", {} images/s", plain(static_cast<double>(*row.batch) / row.time_s));
  std::string hover =
      fmt::format("{} on {}\nexpected: {}\nroofline: {}\nspeed-up: {}", row.name, row.gpu,
                  duration(row.time_s), duration(row.roofline_time_s), factor(row.speedup));
  if (row.energy_at_tdp_j) hover += "\nenergy at TDP: " + si(*row.energy_at_tdp_j, "J");
  bar.segments = {{row.time_s, Colour::blue, std::move(hover)}};
  bar.bound = row.roofline_time_s;
  bar.whisker = whisker_of(row.time_s, row.expected_uncertainty);
  return bar;
}

/// More bars are no picture: the first ones, of a ranking the best.
constexpr std::size_t most_gpus = 40;

/// One piece of work on its GPUs.
Panel panel_of(const std::vector<ComparisonRow>& rows, std::size_t first, std::size_t end) {
  Panel panel;
  panel.heading = rows[first].name;
  if (rows[first].batch) panel.heading += fmt::format(", batch {}", *rows[first].batch);
  Bars bars;
  bars.axis = {"time", "s", false, 0, 0};
  for (std::size_t i = first; i < end; ++i) {
    bars.bars.push_back(bar_of(rows[i]));
    bars.axis.high = std::max(bars.axis.high, length_of(bars.bars.back()));
  }
  const bool has_whiskers =
      std::any_of(bars.bars.begin(), bars.bars.end(), [](const Bar& bar) { return bar.whisker; });
  panel.body = std::move(bars);
  panel.legend = {{"expected", LegendItem::Sign::bar, Colour::blue, Symbol::square, {}},
                  {"roofline bound", LegendItem::Sign::thin_bar, Colour::ink, Symbol::square, {}}};
  if (has_whiskers) panel.legend.push_back(whisker_legend());
  return panel;
}

}  // namespace

std::vector<Chart> compare_charts(const Report& report) {
  const std::vector<ComparisonRow>& rows = report.comparison;
  if (rows.empty() && !report.results.empty())
    throw InputError("compare chart: expected two GPUs or more, got one", Remedy::gpu);
  if (rows.empty()) return {};
  Chart chart;
  chart.title = "GPUs side by side";
  chart.subtitle = "expected time; x: speed-up over the first GPU";
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t end = first;
    while (end < rows.size() && is_same_work(rows[first], rows[end])) ++end;
    const std::size_t shown = std::min(end, first + most_gpus);
    chart.panels.push_back(panel_of(rows, first, shown));
    if (shown < end)
      chart.caption = {fmt::format("Not drawn: the {} GPUs after these.", end - shown)};
    first = end;
  }
  return {chart};
}

}  // namespace roofline
