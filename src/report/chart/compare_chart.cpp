// GPUs side by side.

#include <fmt/format.h>

#include <algorithm>

#include "report/chart/layers.hpp"
#include "report/chart/makers.hpp"
#include "report/chart/roofs.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

Bar bar_of(const std::string& work, const SettingRow& row) {
  Bar bar;
  bar.label = row.gpu;
  bar.note = fmt::format("{}, {}", duration(row.time_s), factor(row.speedup));
  if (row.batch && *row.batch > 0)
    bar.note += fmt::format(", {} images/s", plain(static_cast<double>(*row.batch) / row.time_s));
  std::string hover =
      fmt::format("{} on {}\nexpected: {}\nroofline: {}\nspeed-up: {}", work, row.gpu,
                  duration(row.time_s), duration(row.roofline_time_s), factor(row.speedup));
  if (row.energy_at_tdp_j) hover += "\nenergy at TDP: " + si(*row.energy_at_tdp_j, "J");
  bar.segments = {{row.time_s, Colour::blue, std::move(hover)}};
  bar.bound = row.roofline_time_s;
  bar.whisker = whisker_of(row.time_s, row.expected_uncertainty);
  return bar;
}

/// More bars are no picture: the first ones, of a ranking the best.
constexpr std::size_t most_gpus = 40;

Panel panel_of(std::string heading, std::vector<Bar> shown) {
  Panel panel;
  panel.heading = std::move(heading);
  panel.legend = {{"expected", LegendItem::Sign::bar, Colour::blue, Symbol::square, {}},
                  {"roofline bound", LegendItem::Sign::thin_bar, Colour::ink, Symbol::square, {}}};
  if (std::any_of(shown.begin(), shown.end(), [](const Bar& bar) { return bar.whisker; }))
    panel.legend.push_back(whisker_legend());
  Bars bars;
  bars.axis = {"time", "s", false, 0, 0};
  for (const Bar& bar : shown) bars.axis.high = std::max(bars.axis.high, length_of(bar));
  bars.bars = std::move(shown);
  panel.body = std::move(bars);
  return panel;
}

}  // namespace

std::vector<Chart> compare_charts(const Report& report) {
  const std::vector<SettingsTable>& tables = report.comparisons;
  if (tables.empty() && !report.results.empty())
    throw InputError("compare chart: expected two GPUs or more, got one", Remedy::gpu);
  if (tables.empty()) return {};
  Chart chart;
  chart.title = "GPUs side by side";
  chart.subtitle = "expected time; x: speed-up over the first GPU";
  const auto heading_of = [](const SettingsTable& table) {
    const auto& batch = table.rows.front().batch;
    return table.work + (batch ? fmt::format(", batch {}", *batch) : "");
  };
  for (auto table = tables.begin(); table != tables.end();) {
    const std::string heading = heading_of(*table);
    std::vector<Bar> bars;  // of work in several data types those of all
    for (; table != tables.end() && heading_of(*table) == heading; ++table)
      for (const SettingRow& row : table->rows) bars.push_back(bar_of(table->work, row));
    if (bars.size() > most_gpus) {
      chart.caption = {fmt::format("Not drawn: the {} GPUs after these.", bars.size() - most_gpus)};
      bars.resize(most_gpus);
    }
    chart.panels.push_back(panel_of(heading, std::move(bars)));
  }
  return {chart};
}

}  // namespace roofline
