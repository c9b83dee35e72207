// Kernels of a recording: under the roofs of their GPU where they were counted, and their time.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/chart/makers.hpp"
#include "report/rows.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Those few are told apart at L2 as well.
constexpr std::size_t most_at_l2 = 8;

/// How the kernels look that the same units work for.
constexpr std::array engine_looks = std::to_array<Look>({
    {"fp32 units", Colour::blue, Symbol::circle},
    {"fp16 units", Colour::sky, Symbol::hexagon},
    {"fp64 units", Colour::purple, Symbol::triangle_down},
    {"tensor cores, 16 bits", Colour::vermillion, Symbol::square},
    {"tensor cores, tf32 or fp32", Colour::orange, Symbol::triangle},
    {"tensor cores, 8 bits or fewer", Colour::green, Symbol::diamond},
    {"not counted", Colour::grey, Symbol::cross},
});

const Look& engine_look(const std::optional<Engine>& engine) {
  if (!engine) return engine_looks.back();
  switch (*engine) {
    case Engine::fp32: return engine_looks[0];
    case Engine::fp16:
    case Engine::bf16_vector: return engine_looks[1];
    case Engine::fp64:
    case Engine::fp64_tensor: return engine_looks[2];
    case Engine::fp16_tensor:
    case Engine::fp16_tensor_fp16_accumulate:
    case Engine::bf16: return engine_looks[3];
    case Engine::tf32:
    case Engine::fp32_tensor: return engine_looks[4];
    case Engine::fp8:
    case Engine::fp8_fp16_accumulate:
    case Engine::int8:
    case Engine::dp4a:
    case Engine::int4:
    case Engine::fp6:
    case Engine::fp4: return engine_looks[5];
  }
  return engine_looks.back();
}

std::vector<LegendItem> engine_legend(const std::vector<const KernelRow*>& rows,
                                      LegendItem::Sign sign) {
  std::vector<const Look*> used;
  used.reserve(rows.size());
  for (const KernelRow* row : rows) used.push_back(&engine_look(row->engine));
  return look_legend(engine_looks, used, sign);
}

std::string chart_title(const KernelTable& table) {
  return table.recording->name + (table.gpu.empty() ? "" : " on " + table.gpu);
}

bool has_place(const KernelRow& row) {
  return row.flop_per_s.value_or(0) > 0 && row.intensity_flop_per_byte &&
         row.roof_share[KernelRoof::compute];
}

/// The rows shown, the longest first.
std::vector<const KernelRow*> shown_rows(const Report& report, std::size_t index) {
  std::vector<const KernelRow*> rows;
  for (const std::size_t i : report.kernel_selections[index].rows)
    rows.push_back(&report.kernels[index].rows[i]);
  return rows;
}

std::vector<const KernelRow*> placed_rows(const Report& report, std::size_t index) {
  std::vector<const KernelRow*> rows = shown_rows(report, index);
  std::erase_if(rows, [](const KernelRow* row) { return !has_place(*row); });
  return rows;
}

Mark mark_of(const KernelRow& row, const Bounds& bounds, bool with_l2) {
  const Look& look = engine_look(row.engine);
  Mark mark;
  mark.label = kernel_label(row);
  mark.hover = kernel_hover(row);
  mark.at = {*row.intensity_flop_per_byte, *row.flop_per_s};
  mark.time_s = row.kernel.time_s;
  mark.bound_y = roof_y(bounds, *row.engine, *row.intensity_flop_per_byte, false);
  if (with_l2) mark.l2_x = row.l2_intensity_flop_per_byte;
  mark.share = row.time_share;
  mark.colour = look.colour;
  mark.symbol = look.symbol;
  return mark;
}

std::string not_drawn(const Report& report, std::size_t index, const Thinned& thinned) {
  std::size_t count = 0;
  double share = 0;
  for (const KernelRow* row : shown_rows(report, index))
    if (!has_place(*row)) {
      ++count;
      share += row->time_share;
    }
  std::string text;
  if (count > 0)
    text = fmt::format(" Not drawn: {} kernels without FLOP or bytes, {} of the time.", count,
                       percent(share));
  if (thinned.count > 0)
    text += fmt::format(" Too short or too slow to draw: {} kernels, {} together.", thinned.count,
                        percent(thinned.share));
  return text;
}

Chart kernels_under_roofs(const Report& report, std::size_t index) {
  const KernelTable& table = report.kernels[index];
  const Bounds& bounds = *table.bounds;
  const std::vector<const KernelRow*> rows = placed_rows(report, index);
  std::vector<Engine> engines;
  engines.reserve(rows.size());
  for (const KernelRow* row : rows) engines.push_back(*row->engine);
  engines = fastest_first(engines, bounds.roofs.datasheet_flop_per_s);
  Plot plot;
  for (std::size_t i = 0; i < rows.size(); ++i)
    plot.marks.push_back(mark_of(*rows[i], bounds, i < most_at_l2));
  const Thinned thinned = thin(plot.marks, true);
  name_longest(plot.marks, most_named);
  begin_axes(plot);
  include_roofs(plot, bounds, engines, true);
  widen_axes(plot);
  plot.lines = roofs_of_one(bounds, engines, plot);
  std::vector<LegendItem> legend = engine_legend(rows, LegendItem::Sign::mark);
  std::erase_if(legend, [&](const LegendItem& item) {
    return std::ranges::none_of(plot.marks,
                                [&](const Mark& mark) { return mark.symbol == item.symbol; });
  });
  add_mark_legend(legend, plot.marks);
  Chart chart{
      .title = chart_title(table),
      .subtitle = "hierarchical roofline of kernels, as counted by " + table.recording->recorder};
  chart.panels.push_back({"", std::move(plot), std::move(legend)});
  chart.caption =
      "Area: share of the time. FLOP/B: counted FLOP over the bytes that device memory moved." +
      not_drawn(report, index, thinned);
  return chart;
}

Bar bar_of(const KernelRow& row) {
  const Colour colour = row.engine ? engine_look(row.engine).colour : Colour::blue;
  return {.label = kernel_label(row),
          .note = kernel_note(row),
          .segments = {{row.kernel.time_s, colour, kernel_hover(row)}}};
}

Chart times_of_kernels(const Report& report, std::size_t index) {
  const KernelTable& table = report.kernels[index];
  std::vector<const KernelRow*> rows = shown_rows(report, index);
  std::size_t rest = 0;
  double rest_s = 0;
  while (rows.size() > most_bars) {
    ++rest;
    rest_s += rows.back()->kernel.time_s;
    rows.pop_back();
  }
  std::vector<Bar> bars;
  bars.reserve(rows.size() + 1);
  for (const KernelRow* row : rows) bars.push_back(bar_of(*row));
  if (rest > 0) {
    const std::string label = fmt::format("{} more", rest);
    bars.push_back({.label = label,
                    .note = duration(rest_s) + ", " + percent(share_of(rest_s, table.time_s)),
                    .segments = {{rest_s, Colour::grey, label}}});
  }
  Chart chart{.title = chart_title(table),
              .subtitle = "time of kernels, as recorded by " + table.recording->recorder,
              .caption = "Bar: all launches of a kernel together (x4)."};
  std::vector<LegendItem> legend;
  if (table.recording->has_counters()) legend = engine_legend(rows, LegendItem::Sign::bar);
  chart.panels.push_back({"", bars_along_time(std::move(bars)), std::move(legend)});
  return chart;
}

}  // namespace

std::vector<Chart> kernel_charts(const Report& report, std::optional<ChartKind> kind) {
  std::vector<Chart> charts;
  for (std::size_t i = 0; i < report.kernels.size(); ++i) {
    const bool has_roofline = report.kernels[i].bounds && !placed_rows(report, i).empty();
    if (has_roofline && kind.value_or(ChartKind::roofline) == ChartKind::roofline)
      charts.push_back(kernels_under_roofs(report, i));
    else if (!kind || kind == ChartKind::time)
      charts.push_back(times_of_kernels(report, i));
  }
  return charts;
}

}  // namespace roofline
