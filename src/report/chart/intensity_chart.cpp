// The intensity of every layer along the network.

#include <fmt/format.h>

#include <algorithm>

#include "report/chart/makers.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Of "features.denseblock1.denselayer2": the first `parts` parts.
std::string_view head_of(std::string_view name, std::size_t parts) {
  std::size_t end = 0;
  for (std::size_t part = 0; part < parts && end != name.npos; ++part)
    end = name.find('.', end + (part > 0));
  return name.substr(0, end);
}

/// Runs of layers whose names begin alike.
std::vector<Span> spans_by(const Result& result, std::size_t parts) {
  std::vector<Span> spans;
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    const std::string_view head = head_of(result.layers[i].layer.name, parts);
    const auto at = static_cast<double>(i);
    if (spans.empty() || spans.back().text != head) spans.push_back({at, at, std::string(head)});
    spans.back().high = at + 1;
  }
  return spans;
}

/// Stages: by as much of the names as tells a few runs of layers apart.
std::vector<Span> spans_of(const Result& result) {
  std::vector<Span> spans = spans_by(result, 1);
  if (spans.size() <= 3 && result.layers.size() > 8) spans = spans_by(result, 2);
  return spans;
}

Mark mark_of(const Report& report, const Result& result, std::size_t row) {
  const LayerResult& layer = result.layers[row];
  const TableRow one{result, {row}};
  const Look& look = look_of(layer.layer);
  Mark mark;
  mark.label = row_name(one);
  mark.hover = row_hover(one);
  mark.link = row_link(report, one);
  mark.at = {static_cast<double>(row) + 0.5, *layer.point.intensity_flop_per_byte};
  mark.share = layer.time_share.value_or(0);
  mark.time_s = time_s(layer);
  mark.colour = look.colour;
  mark.symbol = look.symbol;
  return mark;
}

std::vector<Line> ridges_of(const Report& report, const Work& work, const Axis& x) {
  std::vector<Line> lines;
  std::vector<std::string> seen;
  for (const std::size_t i : work) {
    const Result& result = report.results[i];
    for (const Engine engine : engines_used(report, {i})) {
      Line line;
      const double ridge = *rate_of(result.bounds.ceilings.peak_flop_per_s, engine) /
                           result.bounds.ceilings.bandwidth_byte_per_s;
      line.path = {{x.low, ridge}, {x.high, ridge}};
      line.style = LineStyle::dashed;
      line.label = fmt::format("ridge {} FLOP/B: {} of {}", plain(ridge), name_of(engine),
                               result.setting.gpu);
      if (std::find(seen.begin(), seen.end(), line.label) != seen.end()) continue;
      seen.push_back(line.label);
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

Chart intensity_chart_of(const Report& report, const Work& work) {
  const std::size_t index = work.front();
  const Result& result = report.results[index];
  Plot plot;
  plot.stems = true;
  plot.x = {"layers in the network's order", "", false, 0,
            static_cast<double>(result.layers.size())};
  plot.lines = ridges_of(report, work, plot.x);
  std::vector<TableRow> drawn;
  std::size_t without = 0;
  for (std::size_t row = 0; row < result.layers.size(); ++row) {
    const LayerResult& layer = result.layers[row];
    if (layer.counts.flops == 0 || !layer.point.intensity_flop_per_byte) {
      ++without;
      continue;
    }
    plot.marks.push_back(mark_of(report, result, row));
    drawn.push_back({result, {row}});
  }
  plot.y = empty_axis("arithmetic intensity, FLOP/B");
  for (const Mark& mark : plot.marks) include(plot.y, mark.at.y);
  for (const Line& line : plot.lines) include(plot.y, line.path.front().y);
  plot.y.low /= 2;
  plot.y.high *= 2;
  name_longest(plot.marks, most_named);
  plot.spans = spans_of(result);
  Chart chart;
  chart.title = work_title(result, work.size() == 1);
  chart.subtitle = "arithmetic intensity of every layer";
  chart.batch = result.setting.batch;
  chart.panels.push_back({"", std::move(plot), look_legend(drawn)});
  chart.caption =
      "Area: share of the time. At or above the ridge a layer is bound by compute, below it by "
      "memory. " +
      std::string(intensity_conventions);
  if (without > 0)
    chart.caption += fmt::format(" Not drawn: {} without FLOP.", layers_text(without));
  return chart;
}

}  // namespace

std::vector<Chart> intensity_charts(const Report& report) {
  std::vector<Chart> charts;
  for (const Work& work : works_of(report))
    if (!engines_used(report, work).empty()) charts.push_back(intensity_chart_of(report, work));
  if (charts.empty() && !report.results.empty())
    throw InputError("intensity chart: expected layers with FLOP, got none");
  return charts;
}

}  // namespace roofline
