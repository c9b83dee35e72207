// A layer's explanation: work, roofs, kernel, time, and its place under the roofs.

#include <fmt/format.h>

#include "report/chart/makers.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

Bar plain_bar(std::string label, double value, std::string note, Colour colour) {
  return {.label = std::move(label), .note = std::move(note), .segments = {{value, colour, ""}}};
}

Panel work_panel(const LayerResult& row) {
  const Bytes& bytes = row.counts.bytes;
  Bars bars{{}, "B"};
  const auto add = [&](const char* what, std::uint64_t byte, Colour colour) {
    if (byte > 0)
      bars.rows.push_back(plain_bar(what, static_cast<double>(byte), si(byte, "B"), colour));
  };
  add("input", bytes.input, Colour::sky);
  add("weight", bytes.weight, Colour::orange);
  add("output", bytes.output, Colour::blue);
  return {fmt::format("1. How much work: {}, {} moved", si(row.counts.flops, "FLOP"),
                      si(bytes.total, "B")),
          std::move(bars),
          {}};
}

std::string bound_heading(const RooflinePoint& point) {
  return fmt::format("2. What bounds it: {}, {} FLOP/B against a ridge of {}", name_of(point.bound),
                     plain(point.intensity_flop_per_byte), plain(point.ridge_flop_per_byte));
}

/// More waves are drawn as one.
constexpr double most_waves = 24;

/// The waves of blocks, the last one partly idle, and the useful share of arithmetic.
Panel waves_panel(const KernelPlan& kernel) {
  const double full = std::floor(kernel.waves);
  const double last = kernel.waves - full;
  Bar waves{.label = "blocks",
            .note = fmt::format("{} waves, SMs {} busy", plain(kernel.waves),
                                percent(kernel.wave_utilization))};
  if (full > most_waves) waves.segments.push_back({full, Colour::blue, "full waves"});
  for (double i = 0; i < full && full <= most_waves; ++i)
    waves.segments.push_back({1, Colour::blue, "a full wave"});
  if (last > 0) {
    waves.segments.push_back({last, Colour::sky, "the last wave"});
    waves.segments.push_back({1 - last, Colour::paper, "places without a block"});
  }
  const double useful = kernel.waves * kernel.tile_utilization;
  Bar work{.label = "useful work",
           .note = fmt::format("{} of the arithmetic", percent(kernel.tile_utilization)),
           .segments = {{useful, Colour::green, "useful"},
                        {kernel.waves - useful, Colour::paper, "on partly filled tiles"}}};
  std::string heading = fmt::format(
      "3. How a kernel does it: {}{}, {} blocks in waves of {}", words(kernel.algorithm),
      kernel.tile[0] > 0 ? fmt::format(", tiles {}", fmt::join(kernel.tile, "x")) : "",
      kernel.blocks, plain(static_cast<double>(kernel.blocks) / kernel.waves));
  using Sign = LegendItem::Sign;
  return {std::move(heading),
          Bars{{std::move(waves), std::move(work)}, ""},
          {{"full waves", Sign::bar, Colour::blue},
           {"the last wave", Sign::bar, Colour::sky},
           {"not on padding", Sign::bar, Colour::green}}};
}

Panel landing_panel(const Explanation& explanation, const LayerResult& row) {
  Bars bars;
  const auto add = [&](std::string label, double time_s, Colour colour) {
    std::string note = duration(time_s);
    if (row.below_bound != BelowBound::fewer_bytes)
      note += ", " + ratio_text(time_s / row.point.roofline_time_s);
    bars.rows.push_back(plain_bar(std::move(label), time_s, std::move(note), colour));
  };
  add("roofline", row.point.roofline_time_s, Colour::grey);
  if (row.measured_time_s) add("measured", *row.measured_time_s, Colour::wine);
  add("expected", time_s(row), Colour::blue);
  for (const Advice& advice : explanation.advice)
    if (advice.time_s) add("with " + advice.text, *advice.time_s, Colour::green);
  return {"5. Where it lands, and what would help; x: over the roofline", std::move(bars), {}};
}

Chart chart_of(const Report& report, const Explanation& explanation) {
  const Result& result = report.results[explanation.result];
  const TableRow row{result, {explanation.row}};
  const LayerResult& layer = row.first();
  Chart chart;
  chart.title = fmt::format("{} of {}: {} {}", row_name(row), work_title(result, true),
                            duration(time_s(layer)),
                            layer.expected_time_s() ? "expected" : "by the roofline");
  chart.panels.push_back(work_panel(layer));
  if (auto roofs = layer_under_roofs(report, row)) {
    roofs->heading = bound_heading(layer.point);
    chart.panels.push_back(std::move(*roofs));
  }
  if (layer.kernel && layer.kernel->waves > 0) chart.panels.push_back(waves_panel(*layer.kernel));
  if (layer.kernel) {
    chart.panels.push_back(parts_panel(row));
    chart.panels.back().heading = "4. How long that takes: what the expected time is made of";
  }
  chart.panels.push_back(landing_panel(explanation, layer));
  return chart;
}

}  // namespace

std::vector<Chart> explained_charts(const Report& report) {
  std::vector<Chart> charts;
  for (const Explanation& each : report.explanations)
    if (time_s(report.results[each.result].layers[each.row]) > 0)
      charts.push_back(chart_of(report, each));
  if (charts.empty())
    throw InputError("picture of a layer: expected one with a kernel of its own, got none");
  return charts;
}

}  // namespace roofline
