// Marks, legends and the choice of a report's charts.

#include <fmt/format.h>

#include <numeric>

#include "report/chart/makers.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Numbers the longest marks, up to the first share of time, or to a mark below the second.
constexpr double most_of_time = 0.9;
constexpr double little_time = 0.01;
/// The longest have their names beside them.
constexpr std::size_t most_captions = 5;
constexpr std::size_t widest_caption = 24;

LegendItem whisker_legend() { return {"68 of 100 measured times", LegendItem::Sign::whisker}; }

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
  double length = 0;
  for (const Segment& segment : bar.segments) length += segment.value;
  return std::max({length, bar.bound.value_or(0), bar.measured.value_or(0),
                   bar.whisker ? bar.whisker->high : 0});
}

std::optional<Whisker> whisker_of(double expected, const std::optional<Uncertainty>& uncertainty) {
  if (!uncertainty) return std::nullopt;
  return Whisker{expected / uncertainty->factor, expected * uncertainty->factor};
}

double row_time_s(const TableRow& row) {
  double time = 0;
  for (const std::size_t layer : row.layers) time += time_s(row.result.layers[layer]);
  return time;
}

std::vector<TableRow> folded_rows(const Report& report, std::size_t result) {
  std::vector<std::vector<std::size_t>> groups = report.selections[result].main_groups;
  if (!report.filter.sort)
    std::ranges::stable_sort(groups,
                             [](const auto& a, const auto& b) { return a.front() < b.front(); });
  std::vector<TableRow> rows;
  rows.reserve(groups.size());
  for (auto& group : groups) rows.push_back({report.results[result], std::move(group)});
  return rows;
}

void add_mark_legend(std::vector<LegendItem>& legend, const std::vector<Mark>& marks) {
  using Sign = LegendItem::Sign;
  const auto add = [&](LegendItem item, auto has) {
    if (std::ranges::any_of(marks, has)) legend.push_back(std::move(item));
  };
  add({"expected", Sign::mark, Colour::paper},
      [](const Mark& m) { return m.expected_y.has_value(); });
  add({"roofline", Sign::bound}, [](const Mark& m) { return m.bound_y && !m.bound_is_l2; });
  add({"operands in L2: its roof", Sign::l2_bound},
      [](const Mark& m) { return m.bound_y && m.bound_is_l2; });
  add({"by its bytes at L2", Sign::mark, Colour::paper},
      [](const Mark& m) { return m.l2_x.has_value(); });
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
    const auto name = std::ranges::find(names, mark.label);
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
          {.label = fmt::format("{} {}{}{}", mark.number, mark.label,
                                mark.series.empty() ? "" : ", ", mark.series),
           .note = fmt::format("{}, {}", duration(mark.time_s), percent(mark.share)),
           .segments = {{mark.time_s, mark.colour, mark.hover}}});
  return {"the marks with numbers: their time, and its share of all", std::move(bars), {}};
}

std::vector<Chart> layer_charts(const Report& report, std::optional<ChartKind> kind) {
  const ChartKind own = report.filter.ranks_gpus() && !report.points.empty() ? ChartKind::compare
                        : report.sweeps.empty()                              ? ChartKind::roofline
                                                                             : ChartKind::sweep;
  switch (kind.value_or(own)) {
    case ChartKind::roofline: return roofline_charts(report);
    case ChartKind::time: return time_charts(report);
    case ChartKind::sweep: return sweep_charts(report);
    case ChartKind::compare: return compare_charts(report);
  }
  return {};
}

std::vector<Chart> charts_of(const Report& report, std::optional<ChartKind> kind) {
  if (!report.explanations.empty()) return explained_charts(report);
  if (report.changes && kind.value_or(ChartKind::compare) == ChartKind::compare)
    return {changes_chart(*report.changes)};
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

}  // namespace roofline
