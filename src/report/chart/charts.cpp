// What charts show of layers, and which chart a report asks for.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "report/chart/makers.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Up to so many marks are told apart by eye.
constexpr std::size_t few_marks = 12;
/// Marks that take less than this together are left out.
constexpr double no_time = 0.05;
/// Marks are numbered until those from the longest on take the one, or the next one less than the
/// other.
constexpr double most_of_time = 0.9;
constexpr double little_time = 0.01;

LegendItem whisker_legend() { return {"68 of 100 measured times", LegendItem::Sign::whisker}; }

}  // namespace

std::string row_name(const TableRow& row) { return label_of(row) + suffix_of(row); }

std::string row_hover(const TableRow& row) {
  std::string text = fmt::format("{} ({})", row_name(row), info(row.first().layer.kind).name);
  for (const OutputField& field : output_fields()) {
    if (field.column.header.empty() || field.path == "name") continue;
    const std::string value = field_text(field, row);
    if (!value.empty()) text += fmt::format("\n{}: {}", field.column.header, value);
  }
  return text;
}

std::string row_link(const Report& report, const TableRow& row) {
  return fmt::format("r{}-{}", &row.result - report.results.data(), row.layers.front());
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

std::vector<Bar> longest_of(std::vector<Bar> bars) {
  if (bars.size() <= most_bars) return bars;
  std::vector<double> lengths;
  lengths.reserve(bars.size());
  for (const Bar& bar : bars) lengths.push_back(length_of(bar));
  std::ranges::nth_element(lengths, lengths.begin() + most_bars, std::greater());
  const double longest_left_out = lengths[most_bars];
  const auto longer =
      std::ranges::count_if(lengths, [&](double length) { return length > longest_left_out; });
  std::size_t ties = most_bars - static_cast<std::size_t>(longer);
  std::vector<Bar> longest;
  Bar rest;
  for (Bar& bar : bars) {
    const double length = length_of(bar);
    const bool is_tie = length == longest_left_out && ties > 0;
    if (is_tie) --ties;
    if (is_tie || length > longest_left_out) {
      longest.push_back(std::move(bar));
      continue;
    }
    for (const Segment& segment : bar.segments) {
      auto same = std::ranges::find(rest.segments, segment.colour, &Segment::colour);
      if (same == rest.segments.end())
        same = rest.segments.insert(same, {0, segment.colour, "each shorter than those shown"});
      same->value += segment.value;
    }
  }
  rest.label = fmt::format("{} more", bars.size() - longest.size());
  rest.note = duration(length_of(rest));
  longest.push_back(std::move(rest));
  return longest;
}

std::vector<TableRow> folded_rows(const Report& report, std::size_t result) {
  std::vector<std::vector<std::size_t>> groups = report.selections[result].groups;
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
  const auto any = [&](auto has) { return std::ranges::any_of(marks, has); };
  if (any([](const Mark& mark) { return mark.expected_y.has_value(); }))
    legend.push_back({"expected", Sign::mark, Colour::paper});
  if (any([](const Mark& mark) { return mark.bound_y && !mark.bound_is_l2; }))
    legend.push_back({"roofline bound", Sign::bound});
  if (any([](const Mark& mark) { return mark.bound_y && mark.bound_is_l2; }))
    legend.push_back({"operands in L2: its roof", Sign::l2_bound});
  if (any([](const Mark& mark) { return mark.l2_x.has_value(); }))
    legend.push_back({"by its bytes at L2", Sign::mark, Colour::paper});
  if (any([](const Mark& mark) { return mark.whisker.has_value(); }))
    legend.push_back(whisker_legend());
}

void add_bar_legend(std::vector<LegendItem>& legend, const std::vector<Bar>& bars) {
  using Sign = LegendItem::Sign;
  const auto any = [&](auto has) { return std::ranges::any_of(bars, has); };
  if (any([](const Bar& bar) { return bar.bound.has_value(); }))
    legend.push_back({"roofline bound", Sign::thin_bar});
  if (any([](const Bar& bar) { return bar.measured.has_value(); }))
    legend.push_back({"measured", Sign::tick});
  if (any([](const Bar& bar) { return bar.whisker.has_value(); }))
    legend.push_back(whisker_legend());
}

std::vector<std::size_t> marks_by_share(const std::vector<Mark>& marks) {
  std::vector<std::size_t> order(marks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return marks[a].share > marks[b].share; });
  return order;
}

std::string thin(std::vector<Mark>& marks) {
  std::vector<std::size_t> order = marks_by_share(marks);
  double share = 0;
  std::size_t kept = order.size();
  while (kept > few_marks && share + marks[order[kept - 1]].share < no_time)
    share += marks[order[--kept]].share;
  if (kept == order.size()) return "";
  order.resize(kept);
  std::ranges::sort(order);
  std::vector<Mark> longest;
  longest.reserve(kept);
  for (const std::size_t i : order) longest.push_back(std::move(marks[i]));
  std::swap(marks, longest);
  return fmt::format(" Too short to draw: {} marks, {} together.", longest.size() - kept,
                     percent(share));
}

std::vector<KeyRow> number_longest(std::vector<Mark>& marks, bool of_many_gpus) {
  const std::size_t most = of_many_gpus ? 6 : 10;
  std::vector<KeyRow> key;
  double named = 0;
  for (const std::size_t i : marks_by_share(marks)) {
    Mark& mark = marks[i];
    auto row = std::ranges::find(key, mark.label, &KeyRow::name);
    if (row == key.end()) {
      if (key.size() == most || named > most_of_time || mark.share < little_time) {
        mark.expected_y = mark.bound_y = mark.l2_x = std::nullopt;
        continue;
      }
      named += mark.share;
      row = key.insert(row, {mark.label, "", mark.symbol, mark.colour});
    }
    mark.number = static_cast<std::size_t>(row - key.begin()) + 1;
    if (row->colour != mark.colour) row->colour = Colour::ink;
  }
  for (const Mark& mark : marks)
    if (mark.number > 0) {
      std::string& detail = key[mark.number - 1].detail;
      detail += (detail.empty() ? "" : " / ") + duration(mark.time_s);
      if (!of_many_gpus) detail += ", " + percent(mark.share);
    }
  return key;
}

std::vector<Chart> layer_charts(const Report& report, std::optional<ChartKind> kind) {
  const ChartKind own = report.filter.ranks_gpus() && !report.comparisons.empty()
                            ? ChartKind::compare
                        : report.sweeps.empty() ? ChartKind::roofline
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
