// The time of every layer, and where the time of all went.

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "report/chart/makers.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr Colour colour_of(Limiter limiter) {
  switch (limiter) {
    case Limiter::math: return Colour::blue;
    case Limiter::instructions: return Colour::sky;
    case Limiter::dram: return Colour::vermillion;
    case Limiter::l2: return Colour::orange;
    case Limiter::tile_padding: return Colour::green;
    case Limiter::last_wave: return Colour::purple;
    case Limiter::latency: return Colour::yellow;
    case Limiter::launch: return Colour::grey;
    case Limiter::occupancy: return Colour::ink;
  }
  return Colour::ink;
}

/// A bar of parts, each with its share of the whole in the legend.
class StackedBar {
 public:
  StackedBar(Panel& panel, double whole_s) : panel_(panel), whole_s_(whole_s) {}

  void add(std::string_view name, std::string_view meaning, double seconds, Colour colour) {
    if (seconds == 0) return;
    const std::string share = percent(share_of(seconds, whole_s_));
    if (seconds > 0)
      bar_.segments.push_back(
          {seconds, colour,
           fmt::format("{}: {}\n{}, {}", name, meaning, duration(seconds), share)});
    panel_.legend.push_back({fmt::format("{} {}", name, share), LegendItem::Sign::bar, colour});
  }
  void add(const EnumArray<Limiter, double>& part_s) {
    for (const Limiter limiter : enumerators<Limiter>)
      add(words(name_of(limiter)), meaning_of(limiter), part_s[limiter], colour_of(limiter));
  }
  Bar bar(std::string label, double seconds) && {
    bar_.label = std::move(label);
    bar_.note = duration(seconds);
    return std::move(bar_);
  }

 private:
  Panel& panel_;
  double whole_s_;
  Bar bar_;
};

/// The measured time as it is, and below it what the model makes of it. What the model says too
/// little is a part of its bar; what it says too much stands beyond the measured time, below 0 in
/// the legend. So the legend's shares sum to the measured time.
Panel where_measured_time_went(const MeasuredSummary& summary) {
  Panel panel;
  panel.heading = "where the time went (measured total; split by the model)";
  StackedBar parts(panel, *summary.total.measured_time_s);
  parts.add(summary.total.part_s);
  parts.add(unexplained_text(summary.unexplained_s), "measured less expected",
            summary.unexplained_s, Colour::paper);
  const std::string note = duration(*summary.total.measured_time_s);
  Bars bars{{"time", "s", false, 0,
             std::max(*summary.total.measured_time_s, *summary.total.expected_time_s)},
            {}};
  bars.bars.push_back(
      {.label = "measured",
       .note = note,
       .segments = {{*summary.total.measured_time_s, Colour::grey, "measured\n" + note}}});
  bars.bars.push_back(std::move(parts).bar("expected", *summary.total.expected_time_s));
  for (Bar& bar : bars.bars) bar.measured = *summary.total.measured_time_s;
  panel.body = std::move(bars);
  return panel;
}

/// The parts of layers' expected times.
struct PartSums {
  EnumArray<Limiter, double> part_s{};
  double without_kernel_s = 0;  ///< copies over the host link

  void add(const LayerResult& row) {
    if (!row.kernel) without_kernel_s += time_s(row);
    if (row.kernel)
      for (const Limiter limiter : enumerators<Limiter>)
        part_s[limiter] += row.kernel->part_s[limiter];
  }
};

Panel where_time_goes(const Result& result) {
  PartSums sums;
  for (const LayerResult& row : result.layers) sums.add(row);
  double whole_s = sums.without_kernel_s;
  for (const double part : sums.part_s) whole_s += part;
  Panel panel;
  panel.heading = "where the time goes";
  StackedBar parts(panel, whole_s);
  parts.add(sums.part_s);
  parts.add("host link or view", "no kernel of its own", sums.without_kernel_s, Colour::grey);
  Bar bar = std::move(parts).bar("all layers", whole_s);
  bar.whisker = whisker_of(whole_s, result.total.expected_uncertainty);
  if (bar.whisker) panel.legend.push_back(whisker_legend());
  panel.body = bars_along_time({std::move(bar)});
  return panel;
}

/// The parts of the layers' expected times as segments; what has no kernel is one of its own.
std::vector<Segment> segments_of(const std::vector<TableRow>& rows, const std::string& hover) {
  PartSums sums;
  for (const TableRow& row : rows)
    for (const std::size_t i : row.layers) sums.add(row.result.layers[i]);
  std::vector<Segment> segments;
  for (const Limiter limiter : enumerators<Limiter>)
    if (const double part_s = sums.part_s[limiter]; part_s > 0)
      segments.push_back({part_s, colour_of(limiter), hover});
  if (sums.without_kernel_s > 0) segments.push_back({sums.without_kernel_s, Colour::grey, hover});
  return segments;
}

Bar bar_of(const Report& report, const TableRow& row, double whole_s) {
  const LayerResult& first = row.first();
  const auto count = static_cast<double>(row.layers.size());
  const double time = row_time_s(row);
  Bar bar;
  bar.label = row_name(row);
  bar.note = duration(first.measured_time_s ? count * *first.measured_time_s : time);
  if (!first.measured_time_s && whole_s > 0) bar.note += ", " + percent(time / whole_s);
  bar.segments = segments_of({row}, row_hover(row));
  if (first.expected_time_s) bar.bound = count * first.point.roofline_time_s;
  if (first.measured_time_s) bar.measured = count * *first.measured_time_s;
  if (first.expected_time_s)
    bar.whisker = whisker_of(count * *first.expected_time_s, first.expected_uncertainty);
  bar.link = row_link(report, row);
  return bar;
}

/// The rest as one bar.
Bar rest_of(const std::vector<TableRow>& rows, double whole_s) {
  std::size_t layers = 0;
  double time = 0;
  double bound = 0;
  for (const TableRow& row : rows) {
    layers += row.layers.size();
    time += row_time_s(row);
    for (const std::size_t i : row.layers) bound += row.result.layers[i].point.roofline_time_s;
  }
  const std::string label = fmt::format("{} more", layers_text(layers));
  return {.label = label,
          .note = duration(time) + ", " + percent(share_of(time, whole_s)),
          .segments = segments_of(rows, label + ", each shorter than those shown"),
          .bound = bound};
}

struct ShownLayers {
  std::vector<TableRow> rows;
  std::vector<TableRow> rest;
};

/// The longest, in their order, and the rest; what takes no time is neither.
ShownLayers longest(const std::vector<TableRow>& rows) {
  std::vector<double> times;
  times.reserve(rows.size());
  for (const TableRow& row : rows) times.push_back(row_time_s(row));
  double shortest = 0;
  if (rows.size() > most_bars) {
    std::nth_element(times.begin(), times.begin() + (most_bars - 1), times.end(), std::greater<>());
    shortest = times[most_bars - 1];
  }
  ShownLayers shown;
  for (const TableRow& row : rows) {
    const double time = row_time_s(row);
    if (time <= 0) continue;
    const bool fits = time >= shortest && shown.rows.size() < most_bars;
    (fits ? shown.rows : shown.rest).push_back(row);
  }
  return shown;
}

Panel layers_panel(const Report& report, std::size_t index) {
  const Result& result = report.results[index];
  const double whole = result.total.time_s;
  const auto [rows, rest] = longest(folded_rows(report, index));
  Panel panel;
  panel.heading = "layers, in the same colours";
  std::vector<Bar> bars;
  bars.reserve(rows.size() + 1);
  for (const TableRow& row : rows) bars.push_back(bar_of(report, row, whole));
  if (!rest.empty()) bars.push_back(rest_of(rest, whole));
  const auto any = [&](auto has) { return std::ranges::any_of(bars, has); };
  if (any([](const Bar& bar) { return bar.bound.has_value(); }))
    panel.legend.push_back({"roofline bound", LegendItem::Sign::thin_bar});
  if (any([](const Bar& bar) { return bar.measured.has_value(); }))
    panel.legend.push_back({"measured", LegendItem::Sign::tick});
  panel.body = bars_along_time(std::move(bars));
  return panel;
}

Chart time_chart_of(const Report& report, std::size_t index) {
  const Result& result = report.results[index];
  Chart chart;
  chart.title = work_title(result, true);
  chart.batch = result.setting.batch;
  chart.subtitle = result.measured.summary ? "expected and measured time" : "expected time";
  if (!result.total.expected_time_s) chart.subtitle = "time of the roofline bound";
  chart.panels = {result.measured.summary ? where_measured_time_went(*result.measured.summary)
                                          : where_time_goes(result),
                  layers_panel(report, index)};
  chart.caption =
      "x4: layers alike, together. A roofline longer than its bar: operands in L2, or MACs saved "
      "(Winograd, FFT).";
  return chart;
}

}  // namespace

std::vector<Chart> time_charts(const Report& report) {
  std::vector<Chart> charts;
  for (std::size_t i = 0; i < report.results.size(); ++i)
    charts.push_back(time_chart_of(report, i));
  return charts;
}

}  // namespace roofline
