// Kernels of a recording: under their GPU's roofs if counted, and their time.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/recording.hpp"
#include "report/chart/makers.hpp"
#include "report/text.hpp"
#include "results/kernel_table.hpp"
#include "results/report.hpp"

namespace roofline {
namespace {

using Rows = std::vector<const KernelRow*>;

/// "24.57 us, 12.3%, x4": time, share, launches.
std::string kernel_note(const KernelRow& row) {
  return fmt::format("{}, {}{}", duration(row.kernel.time_s), percent(row.time_share),
                     row.kernel.launches > 1 ? fmt::format(", x{}", row.kernel.launches) : "");
}

std::string kernel_hover(const KernelTable& table, const KernelRow& row) {
  const KernelLine line{table, row};
  std::string text = shortened(printable(row.kernel.name), 200);
  const auto add = [&](std::string_view what, const std::string& value) {
    if (!value.empty()) text += fmt::format("\n{}: {}", what, value);
  };
  add("grid", row.kernel.grid);
  add("block", row.kernel.block);
  for (const Column<KernelLine>& column : shown_columns(kernel_columns()))
    if (column.path != "name") add(column.people.header, cell_text(column, line));
  return text;
}

/// More would not be told apart at L2.
constexpr std::size_t most_at_l2 = 8;

/// The kernels' engines, the fastest first if peaks are known.
std::vector<Engine> engines_of(const KernelTable& table, const Rows& rows) {
  std::vector<Engine> engines;
  for (const KernelRow* row : rows)
    if (row->engine) engines.push_back(*row->engine);
  return fastest_first(engines,
                       table.bounds ? table.bounds->roofs->datasheet_flop_per_s : EngineRates());
}

LegendItem engine_look(const std::vector<Engine>& engines, const std::optional<Engine>& engine,
                       LegendItem::Sign sign) {
  if (!engine)
    return {"not counted", sign, engines.empty() ? Colour::blue : Colour::grey, Symbol::cross};
  const auto i = static_cast<std::size_t>(std::ranges::find(engines, *engine) - engines.begin());
  return {std::string(name_of(*engine)), sign, series_colour(i), static_cast<Symbol>(i % 6)};
}

std::vector<LegendItem> engine_legend(const std::vector<Engine>& engines, LegendItem::Sign sign) {
  return each_of(engines, [&](Engine engine) { return engine_look(engines, engine, sign); });
}

std::string chart_title(const KernelTable& table) {
  return table.recording->name + (table.gpu.empty() ? "" : " on " + table.gpu);
}

bool has_place(const KernelRow& row) {
  return row.flop_per_s.value_or(0) > 0 && row.intensity_flop_per_byte &&
         row.roof_share[KernelRoof::compute];
}

Rows shown_rows(const Shown<KernelTable>& table) {
  return each_of(table.selection.main_rows(), [&](std::size_t i) { return &table.rows[i]; });
}

/// Those under roofs, and the others behind them.
std::pair<Rows, Rows> by_place(const Rows& rows) {
  std::pair<Rows, Rows> parts;
  for (const KernelRow* row : rows) (has_place(*row) ? parts.first : parts.second).push_back(row);
  return parts;
}

Mark mark_of(const KernelTable& table, const KernelRow& row, const LegendItem& look) {
  Mark mark;
  mark.label = kernel_label(row);
  mark.hover = kernel_hover(table, row);
  mark.at = {*row.intensity_flop_per_byte, *row.flop_per_s};
  mark.time_s = row.kernel.time_s;
  mark.bound_y = roof_y(*table.bounds, *row.engine, *row.intensity_flop_per_byte, false);
  mark.share = row.time_share;
  mark.colour = look.colour;
  mark.symbol = look.symbol;
  return mark;
}

std::string without_flop_text(const Rows& rows) {
  const double share = sum_over(rows, &KernelRow::time_share);
  if (rows.empty()) return "";
  return fmt::format(" Not drawn: {} kernels without FLOP or bytes, {} of the time.", rows.size(),
                     percent(share));
}

Chart kernels_under_roofs(const Shown<KernelTable>& table) {
  const Bounds& bounds = *table.bounds;
  const auto [rows, others] = by_place(shown_rows(table));
  const std::vector<Engine> engines = engines_of(table, rows);
  Plot plot;
  plot.marks.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const LegendItem look = engine_look(engines, rows[i]->engine, LegendItem::Sign::mark);
    plot.marks.push_back(mark_of(table, *rows[i], look));
    if (i < most_at_l2) plot.marks.back().l2_x = rows[i]->l2_intensity_flop_per_byte;
  }
  number_longest(plot.marks, false);
  Panel numbered = numbered_panel(plot.marks);
  fit_axes(plot, {{bounds, engines}}, true);
  plot.lines = roofs_of_one(bounds, engines, plot);
  plot.regions = sides_of_ridge(bounds, engines.front(), plot);
  std::vector<LegendItem> legend = engine_legend(engines, LegendItem::Sign::mark);
  add_mark_legend(legend, plot.marks);
  Chart chart{.title = chart_title(table),
              .subtitle = "hierarchical roofline of kernels, as counted by " +
                          std::string(name_of(table.recording->recorder))};
  chart.panels.push_back({"", std::move(plot), std::move(legend)});
  chart.panels.push_back(std::move(numbered));
  chart.caption =
      "Area: share of the time. FLOP/B: counted FLOP over the bytes that device memory moved." +
      without_flop_text(others);
  return chart;
}

Chart times_of_kernels(const Shown<KernelTable>& table) {
  const Rows rows = shown_rows(table);
  const std::vector<Engine> engines = engines_of(table, rows);
  Chart chart{.title = chart_title(table),
              .subtitle = "time of kernels, as recorded by " +
                          std::string(name_of(table.recording->recorder)),
              .caption = "Bar: all launches of a kernel together (x4)."};
  if (const std::size_t rest = table.selection.rest.size(); rest > 0)
    chart.caption += fmt::format(" Not drawn: {} others.", rest);
  std::vector<Bar> bars;
  bars.reserve(rows.size());
  for (const KernelRow* row : rows) {
    const LegendItem look = engine_look(engines, row->engine, LegendItem::Sign::bar);
    bars.push_back(plain_bar(kernel_label(*row), row->kernel.time_s, kernel_note(*row), look.colour,
                             kernel_hover(table, *row)));
  }
  std::vector<LegendItem> legend = engine_legend(engines, LegendItem::Sign::bar);
  if (!engines.empty() &&
      std::ranges::any_of(rows, [](const KernelRow* row) { return !row->engine; }))
    legend.push_back(engine_look(engines, {}, LegendItem::Sign::bar));
  chart.panels.push_back({"", Bars{std::move(bars)}, std::move(legend)});
  return chart;
}

}  // namespace

std::vector<Chart> kernel_charts(const Report& report, std::optional<ChartKind> kind) {
  std::vector<Chart> charts;
  for (const Shown<KernelTable>& table : report.kernels) {
    const bool has_roofline = table.bounds && !by_place(shown_rows(table)).first.empty();
    if (has_roofline && kind.value_or(ChartKind::roofline) == ChartKind::roofline)
      charts.push_back(kernels_under_roofs(table));
    else if (!kind || kind == ChartKind::time)
      charts.push_back(times_of_kernels(table));
  }
  return charts;
}

}  // namespace roofline
