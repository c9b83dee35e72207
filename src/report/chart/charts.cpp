// Marks, legends, roofs and the choice of a report's charts.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/layer_kind.hpp"
#include "report/chart/makers.hpp"
#include "report/text.hpp"
#include "results/report.hpp"

namespace roofline {
namespace {

/// Numbers the longest marks, up to the first share of time, or to a mark below the second.
constexpr double most_of_time = 0.9;
constexpr double little_time = 0.01;
/// The longest have their names beside them.
constexpr std::size_t most_captions = 5;
constexpr std::size_t widest_caption = 24;

LegendItem whisker_legend() { return {"68 of 100 measured times", LegendItem::Sign::whisker}; }

/// Marks of the rest of the time would squeeze all others: those below the axis are arrows.
constexpr double spanned_time = 0.99;

/// Closer roofs look like one line.
constexpr double hardly_apart = 0.01;

bool differ(double a, double b) { return std::fabs(a / b - 1) > hardly_apart; }

struct RoofSet {
  const EngineRates& flop_per_s;
  double byte_per_s;
  LineStyle style;
  std::string_view name = "";  ///< empty: names of the engines and of the memory
};

/// Flat roofs and the slope to the highest, without lines that look like one of `others`.
std::vector<Line> roofs_at(const RoofSet& set, const RoofSet* others,
                           const std::vector<Engine>& engines, const Plot& plot) {
  const auto label = [&](std::string_view own, double rate, std::string_view unit) {
    return fmt::format("{} {}", set.name.empty() ? own : set.name, si(rate, unit));
  };
  std::vector<Line> lines;
  double top = 0;
  for (const Engine engine : engines) {
    const auto peak = rate_of(set.flop_per_s, engine);
    if (!peak) continue;
    top = std::max(top, *peak);
    if (others != nullptr && !differ(*peak, *rate_of(others->flop_per_s, engine))) continue;
    const double from = std::max(*peak / set.byte_per_s, plot.x.low);
    lines.push_back({{{from, *peak}, {plot.x.high, *peak}},
                     set.style,
                     Colour::ink,
                     label(name_of(engine), *peak, "FLOP/s")});
  }
  const double begin = std::max(plot.x.low, plot.y.low / set.byte_per_s);
  if (top > 0 && (others == nullptr || differ(set.byte_per_s, others->byte_per_s)))
    lines.push_back({{{begin, set.byte_per_s * begin}, {top / set.byte_per_s, top}},
                     set.style,
                     Colour::ink,
                     label("DRAM", set.byte_per_s, "B/s"),
                     true});
  for (Line& line : lines) line.label_below = others != nullptr;
  return lines;
}

std::vector<Chart> layer_charts(const Report& report, std::optional<ChartKind> kind) {
  if (!kind && report.filter.ranks_gpus() && !report.points.empty()) return compare_charts(report);
  const ChartKind own = report.sweeps.empty() ? ChartKind::roofline : ChartKind::sweep;
  switch (kind.value_or(own)) {
    case ChartKind::roofline: return roofline_charts(report);
    case ChartKind::time: return time_charts(report);
    case ChartKind::sweep: return sweep_charts(report);
  }
  return {};
}

}  // namespace

std::string row_name(const TableRow& row) { return label_of(row) + suffix_of(row); }

std::string row_hover(const TableRow& row) {
  std::string text = fmt::format("{} ({})", row_name(row), info(row.first().layer.kind).name);
  const std::vector<LayerLine> alike = lines_of(row.result, row.layers);
  for (const Column<LayerLine>& column : shown_columns(layer_columns())) {
    if (column.path == "name") continue;
    const std::string value = alike_text(column, alike);
    if (!value.empty()) text += fmt::format("\n{}: {}", column.people.header, value);
  }
  return text;
}

double length_of(const Bar& bar) {
  constexpr double far = 5;  // a time so much longer would leave nothing of the bar
  const double length = std::max({sum_over(bar.segments, &Segment::value), bar.bound.value_or(0),
                                  bar.whisker ? bar.whisker->high : 0});
  const double measured = bar.measured.value_or(0);
  return length > 0 && measured > far * length ? length : std::max(length, measured);
}

std::optional<Whisker> whisker_of(double expected, const std::optional<Uncertainty>& uncertainty) {
  if (!uncertainty) return std::nullopt;
  return Whisker{expected / uncertainty->factor, expected * uncertainty->factor};
}

std::vector<TableRow> folded_rows(const Report& report, std::size_t result) {
  std::vector<std::vector<std::size_t>> groups = report.results[result].selection.main_groups;
  if (!report.filter.sort)
    std::ranges::stable_sort(groups,
                             [](const auto& a, const auto& b) { return a.front() < b.front(); });
  return each_of(groups, [&](const auto& group) {
    return TableRow{report.results[result], group};
  });
}

void add_mark_legend(std::vector<LegendItem>& legend, const std::vector<Mark>& marks) {
  using Sign = LegendItem::Sign;
  const auto add = [&](LegendItem item, auto has) {
    if (std::ranges::any_of(marks, has)) legend.push_back(std::move(item));
  };
  add({"expected", Sign::ring}, [](const Mark& m) { return m.expected_y.has_value(); });
  add({"roofline", Sign::bound}, [](const Mark& m) { return m.bound_y && !m.bound_is_l2; });
  add({"operands in L2: its roof", Sign::l2_bound},
      [](const Mark& m) { return m.bound_y && m.bound_is_l2; });
  add({"by its bytes at L2", Sign::l2_bound}, [](const Mark& m) { return m.l2_x.has_value(); });
  add(whisker_legend(), [](const Mark& m) { return m.whisker.has_value(); });
}

void add_bar_legend(std::vector<LegendItem>& legend, const std::vector<Bar>& bars) {
  using Sign = LegendItem::Sign;
  const auto add = [&](LegendItem item, auto has) {
    if (std::ranges::any_of(bars, has)) legend.push_back(std::move(item));
  };
  add({"roofline", Sign::thin_bar}, [](const Bar& bar) { return bar.bound.has_value(); });
  add({"measured", Sign::tick}, [](const Bar& bar) { return bar.measured.has_value(); });
  add(whisker_legend(), [](const Bar& bar) { return bar.whisker.has_value(); });
}

std::vector<std::size_t> marks_by_share(const std::vector<Mark>& marks) {
  std::vector<std::size_t> order(marks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return marks[a].share > marks[b].share; });
  return order;
}

void number_longest(std::vector<Mark>& marks, bool of_many) {
  const std::size_t most = of_many ? 6 : 10;
  std::vector<std::string> names;
  double named = 0;
  for (const std::size_t i : marks_by_share(marks)) {
    Mark& mark = marks[i];
    // The marks of one layer on several GPUs have one number.
    const auto name = of_many ? std::ranges::find(names, mark.label) : names.end();
    mark.number = static_cast<std::size_t>(name - names.begin()) + 1;
    if (name != names.end()) continue;
    if (names.size() == most || named > most_of_time || mark.share < little_time) {
      mark.number = 0;
      mark.expected_y = mark.bound_y = mark.l2_x = std::nullopt;
      continue;
    }
    if (!of_many && names.size() < most_captions)
      mark.caption = fmt::format("{} {}", shortened(printable(mark.label), widest_caption),
                                 percent(mark.share));
    named += mark.share;
    names.push_back(mark.label);
  }
}

Panel numbered_panel(std::vector<Mark> marks) {
  std::ranges::stable_sort(marks, {}, &Mark::number);
  Bars bars;
  for (const Mark& mark : marks)
    if (mark.number > 0)
      bars.rows.push_back(
          plain_bar(fmt::format("{} {}{}{}", mark.number, mark.label,
                                mark.series.empty() ? "" : ", ", mark.series),
                    mark.time_s, fmt::format("{}, {}", duration(mark.time_s), percent(mark.share)),
                    mark.colour, mark.hover));
  return {"the marks with numbers: their time, and its share of all", std::move(bars), {}};
}

std::vector<Chart> charts_of(const Report& report, std::optional<ChartKind> kind) {
  if (!report.explanations.empty()) return explained_charts(report);
  if (report.changes && !kind) return {changes_chart(*report.changes)};
  std::vector<Chart> charts = kernel_charts(report, kind);
  if (!report.results.empty() || report.kernels.empty()) {
    std::vector<Chart> layers = layer_charts(report, kind);
    charts.insert(charts.begin(), std::make_move_iterator(layers.begin()),
                  std::make_move_iterator(layers.end()));
  }
  if (charts.empty() && !report.kernels.empty())
    throw InputError(std::string(name_of(*kind)) +
                     " chart: expected layers, or kernels with counters and their GPU, got kernels "
                     "alone; --chart time draws these");
  return charts;
}

std::vector<Engine> fastest_first(const std::vector<Engine>& engines, const EngineRates& peaks) {
  std::vector<Engine> sorted;
  for (const Engine engine : engines) add_new(sorted, engine);
  std::ranges::stable_sort(sorted, [&](Engine a, Engine b) {
    return rate_of(peaks, a).value_or(0) > rate_of(peaks, b).value_or(0);
  });
  return sorted;
}

std::vector<Line> roofs_of_one(const Bounds& bounds, const std::vector<Engine>& engines,
                               const Plot& plot) {
  const Roofs& roofs = *bounds.roofs;
  const Ceilings& ceilings = *bounds.ceilings;
  const RoofSet datasheet{roofs.datasheet_flop_per_s, roofs.datasheet_byte_per_s, LineStyle::solid};
  const RoofSet lower = ceilings.kind == CeilingKind::datasheet
                            ? RoofSet{roofs.practical_flop_per_s, roofs.practical_byte_per_s,
                                      LineStyle::dashed, "kernels reach"}
                            : RoofSet{ceilings.peak_flop_per_s, ceilings.bandwidth_byte_per_s,
                                      LineStyle::dashed, name_of(ceilings.kind)};
  std::vector<Line> lines = roofs_at(datasheet, nullptr, engines, plot);
  std::vector<Line> lower_lines = roofs_at(lower, &datasheet, engines, plot);
  // Two slopes leave no room for a label between them: the lower one carries both.
  if (!lower_lines.empty() && lower_lines.back().label_at_begin) {
    std::string& label = lower_lines.back().label;
    label = fmt::format("{} ({})", std::exchange(lines.back().label, ""), label);
  }
  std::ranges::move(lower_lines, std::back_inserter(lines));
  const double peak = *rate_of(roofs.datasheet_flop_per_s, engines.front());
  const double begin = std::max(plot.x.low, plot.y.low / roofs.l2_byte_per_s);
  lines.push_back({{{begin, begin * roofs.l2_byte_per_s}, {peak / roofs.l2_byte_per_s, peak}},
                   LineStyle::dash_dot,
                   Colour::ink,
                   "L2 " + si(roofs.l2_byte_per_s, "B/s"),
                   true});
  for (const Engine engine : engines) {
    const double ceiling = *rate_of(ceilings.peak_flop_per_s, engine);
    const double ridge = ceiling / ceilings.bandwidth_byte_per_s;
    lines.push_back(foot_line({ridge, ceiling}, plot.y, "ridge " + plain(ridge)));
  }
  return lines;
}

double roof_y(const Bounds& bounds, Engine engine, double intensity_flop_per_byte, bool at_l2) {
  const double byte_per_s =
      at_l2 ? bounds.roofs->l2_byte_per_s : bounds.ceilings->bandwidth_byte_per_s;
  return std::min(*rate_of(bounds.ceilings->peak_flop_per_s, engine),
                  intensity_flop_per_byte * byte_per_s);
}

void include(Axis& axis, double value) {
  axis.low = std::min(axis.low, value);
  axis.high = std::max(axis.high, value);
}

Line foot_line(const Position& from, const Axis& y, std::string label, Colour colour) {
  return {.path = {from, {from.x, y.low}},
          .style = LineStyle::dotted,
          .colour = colour,
          .label = std::move(label),
          .label_below = true};
}

Axis empty_axis(std::string title, std::string unit) {
  return {std::move(title), std::move(unit), true, 1e300, 0};
}

void fit_axes(Plot& plot, const std::vector<UsedRoofs>& roofs, bool with_l2) {
  plot.x = empty_axis("arithmetic intensity, FLOP/B");
  plot.y = empty_axis("arithmetic performance", "FLOP/s");
  double covered = 0;
  for (const std::size_t i : marks_by_share(plot.marks)) {
    const Mark& mark = plot.marks[i];
    include(plot.x, mark.at.x);
    include(plot.x, mark.l2_x.value_or(mark.at.x));
    covered += mark.share;
    if (covered - mark.share > spanned_time && mark.share < 1 - spanned_time) continue;
    include(plot.y, mark.at.y);
    include(plot.y, mark.expected_y.value_or(mark.at.y));
    include(plot.y, mark.bound_y.value_or(mark.at.y));
  }
  for (const UsedRoofs& each : roofs)
    for (const Engine engine : each.engines) {
      const double peak = *rate_of(each.bounds.ceilings->peak_flop_per_s, engine);
      include(plot.x, peak / each.bounds.ceilings->bandwidth_byte_per_s);
      include(plot.y, peak);
      include(plot.y, rate_of(each.bounds.roofs->datasheet_flop_per_s, engine).value_or(peak));
      if (with_l2) include(plot.x, peak / each.bounds.roofs->l2_byte_per_s);
    }
  plot.x.low /= 2;
  plot.x.high *= 4;
  plot.y.low /= 2.5;
  plot.y.high *= 2.5;
}

std::vector<Line> ceilings_of(const Bounds& bounds, const std::vector<Engine>& engines,
                              const Plot& plot) {
  const Ceilings& ceilings = *bounds.ceilings;
  const LineStyle style =
      ceilings.kind == CeilingKind::datasheet ? LineStyle::solid : LineStyle::dashed;
  return roofs_at({ceilings.peak_flop_per_s, ceilings.bandwidth_byte_per_s, style}, nullptr,
                  engines, plot);
}

std::vector<Region> sides_of_ridge(const Bounds& bounds, Engine engine, const Plot& plot) {
  const double peak = *rate_of(bounds.ceilings->peak_flop_per_s, engine);
  const double memory = bounds.ceilings->bandwidth_byte_per_s;
  const double ridge = peak / memory;
  const double floor = plot.y.low;
  const double begin = std::max(plot.x.low, floor / memory);
  return {{{{begin, floor}, {begin, begin * memory}, {ridge, peak}, {ridge, floor}},
           Colour::grey,
           "bound by memory"},
          {{{ridge, floor}, {ridge, peak}, {plot.x.high, peak}, {plot.x.high, floor}},
           Colour::paper,
           "bound by compute"}};
}

Colour series_colour(std::size_t index) {
  // The lines of the first ones are dark enough on paper.
  constexpr std::array colours{Colour::blue, Colour::vermillion, Colour::green, Colour::wine,
                               Colour::grey, Colour::purple,     Colour::sky};
  return colours[index % colours.size()];
}

}  // namespace roofline
