// The time of every layer, and where the time of all went.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/chart/makers.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Each limiter has a colour, in the order of both.
static_assert(count_of<Limiter> == index_of(Colour::paper));
constexpr Colour colour_of(Limiter limiter) { return static_cast<Colour>(index_of(limiter)); }

/// A part of a time.
struct PartOfTime {
  std::string name;
  std::string meaning;
  double time_s;
  Colour colour;
};

std::vector<PartOfTime> parts_of(const EnumArray<Limiter, double>& part_s) {
  std::vector<PartOfTime> parts;
  parts.reserve(count_of<Limiter> + 1);
  for (const Limiter limiter : enumerators<Limiter>)
    parts.push_back({words(name_of(limiter)), std::string(meaning_of(limiter)), part_s[limiter],
                     colour_of(limiter)});
  return parts;
}

/// The parts of the layers' expected times.
std::vector<PartOfTime> parts_of(const TableRow& row) {
  EnumArray<Limiter, double> part_s{};
  double without_kernel_s = 0;  // copies over the host link
  for (const std::size_t i : row.layers) {
    const LayerResult& layer = row.result.layers[i];
    if (!layer.kernel) without_kernel_s += time_s(layer);
    if (layer.kernel)
      for (const Limiter limiter : enumerators<Limiter>)
        part_s[limiter] += layer.kernel->part_s[limiter];
  }
  std::vector<PartOfTime> parts = parts_of(part_s);
  parts.push_back({"host link or view", "no kernel of its own", without_kernel_s, Colour::grey});
  return parts;
}

/// A bar of the parts above 0, with the share of each in the panel's legend.
Bar bar_of_parts(Panel& panel, std::string label, const std::vector<PartOfTime>& parts,
                 double whole_s) {
  Bar bar{.label = std::move(label)};
  for (const PartOfTime& part : parts) {
    if (part.time_s == 0) continue;
    const std::string share = percent(share_of(part.time_s, whole_s));
    if (part.time_s > 0)
      bar.segments.push_back(
          {part.time_s, part.colour,
           fmt::format("{}: {}\n{}, {}", part.name, part.meaning, duration(part.time_s), share)});
    panel.legend.push_back(
        {fmt::format("{} {}", part.name, share), LegendItem::Sign::bar, part.colour});
  }
  return bar;
}

/// The measured time as it is, and below it what the model makes of it. What the model says too
/// little is a part of its bar; what it says too much stands beyond the measured time, below 0 in
/// the legend. So the legend's shares sum to the measured time.
Panel where_measured_time_went(const MeasuredSummary& summary) {
  const double measured_s = *summary.total.measured_time_s;
  Panel panel;
  panel.heading = "where the time went (measured total; split by the model)";
  std::vector<PartOfTime> parts = parts_of(summary.total.part_s);
  parts.push_back({std::string(unexplained_text(summary.unexplained_s)), "measured less expected",
                   summary.unexplained_s, Colour::paper});
  const std::string note = duration(measured_s);
  std::vector<Bar> bars{{.label = "measured",
                         .note = note,
                         .segments = {{measured_s, Colour::grey, "measured\n" + note}}}};
  bars.push_back(bar_of_parts(panel, "expected", parts, measured_s));
  bars.back().note = duration(*summary.total.expected_time_s);
  for (Bar& bar : bars) bar.measured = measured_s;
  panel.body = std::move(bars);
  return panel;
}

Panel where_time_goes(const Result& result) {
  TableRow all{result, std::vector<std::size_t>(result.layers.size())};
  std::iota(all.layers.begin(), all.layers.end(), std::size_t{0});
  const std::vector<PartOfTime> parts = parts_of(all);
  double whole_s = 0;
  for (const PartOfTime& part : parts) whole_s += part.time_s;
  Panel panel;
  panel.heading = "where the time goes";
  Bar bar = bar_of_parts(panel, "all layers", parts, whole_s);
  bar.note = duration(whole_s);
  bar.whisker = whisker_of(whole_s, result.total.expected_uncertainty);
  panel.body = std::vector{std::move(bar)};
  return panel;
}

/// The parts of the row's expected time in the colours of those of all.
Bar bar_of(const Report& report, const TableRow& row, double whole_s) {
  const LayerResult& first = row.first();
  const auto count = static_cast<double>(row.layers.size());
  const double time = row_time_s(row);
  const std::string hover = row_hover(row);
  Bar bar;
  bar.label = row_name(row);
  bar.note = duration(first.measured_time_s ? count * *first.measured_time_s : time);
  if (!first.measured_time_s && whole_s > 0) bar.note += ", " + percent(time / whole_s);
  for (const PartOfTime& part : parts_of(row))
    if (part.time_s > 0) bar.segments.push_back({part.time_s, part.colour, hover});
  if (first.measured_time_s) bar.measured = count * *first.measured_time_s;
  if (first.expected_time_s) {
    bar.bound = count * first.point.roofline_time_s;
    bar.whisker = whisker_of(count * *first.expected_time_s, first.expected_uncertainty);
  }
  bar.link = row_link(report, row);
  return bar;
}

Panel layers_panel(const Report& report, std::size_t index) {
  std::vector<Bar> bars;
  for (const TableRow& row : folded_rows(report, index))
    if (row_time_s(row) > 0)
      bars.push_back(bar_of(report, row, report.results[index].total.time_s));
  Panel panel;
  panel.heading = "layers, in the same colours";
  add_bar_legend(panel.legend, bars);
  panel.body = longest_of(std::move(bars));
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
