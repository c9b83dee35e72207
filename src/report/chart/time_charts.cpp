// Where time goes: of networks, of recorded steps, and in a layer's explanation, whose picture has
// its work, roofs, kernel and time.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "report/chart/makers.hpp"
#include "report/sections.hpp"
#include "results/report.hpp"

namespace roofline {
namespace {

double row_time_s(const TableRow& row) {
  return sum_over(row.layers, [&](std::size_t i) { return time_s(row.result.layers[i]); });
}

/// Limiters have the colours in order.
static_assert(count_of<Limiter> == index_of(Colour::ink));
constexpr Colour colour_of(Limiter limiter) { return static_cast<Colour>(index_of(limiter)); }

struct PartOfTime {
  std::string name;
  std::string meaning;
  double time_s;
  Colour colour;
};

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
  std::vector<PartOfTime> parts = each_of(enumerators<Limiter>, [&](Limiter limiter) {
    return PartOfTime{words(limiter), std::string(meaning_of(limiter)), part_s[limiter],
                      colour_of(limiter)};
  });
  parts.push_back({"host link or view", "no kernel of its own", without_kernel_s, Colour::grey});
  return parts;
}

/// One bar of the parts above 0, with their shares in the legend; behind it the whole.
Panel panel_of_parts(std::string heading, Bar bar, const std::vector<PartOfTime>& parts,
                     double whole_s) {
  Panel panel{std::move(heading), {}, {}};
  bar.note = duration(whole_s) + (bar.measured ? " expected" : "");
  for (const PartOfTime& part : parts) {
    if (part.time_s <= 0) continue;
    const std::string share = percent(share_of(part.time_s, whole_s));
    bar.segments.push_back(
        {part.time_s, part.colour,
         fmt::format("{}: {}\n{}, {}", part.name, part.meaning, duration(part.time_s), share)});
    panel.legend.push_back(
        {fmt::format("{} {}", part.name, share), LegendItem::Sign::bar, part.colour});
  }
  panel.body = Bars{{std::move(bar)}};
  return panel;
}

Panel where_time_goes(const Result& result) {
  TableRow all{result, std::vector<std::size_t>(result.layers.size())};
  std::iota(all.layers.begin(), all.layers.end(), std::size_t{0});
  const std::vector<PartOfTime> parts = parts_of(all);
  const double whole_s = sum_over(parts, &PartOfTime::time_s);
  const auto& measured_s = result.total.measured_time_s;
  return panel_of_parts(measured_s ? "where the expected time goes" : "where the time goes",
                        {.label = "all layers",
                         .measured = measured_s,
                         .whisker = whisker_of(whole_s, result.total.expected_uncertainty)},
                        parts, whole_s);
}

Bar bar_of_parts(const TableRow& row, std::string label, const std::string& hover = "") {
  Bar bar{.label = std::move(label)};
  for (const PartOfTime& part : parts_of(row))
    if (part.time_s > 0) bar.segments.push_back({part.time_s, part.colour, hover});
  return bar;
}

Bar bar_of(const TableRow& row, double whole_s) {
  const LayerResult& first = row.first();
  const auto count = static_cast<double>(row.layers.size());
  const double time = row_time_s(row);
  Bar bar = bar_of_parts(row, row_name(row), row_hover(row));
  bar.note = duration(first.measured_time_s ? count * *first.measured_time_s : time);
  if (!first.measured_time_s && whole_s > 0) bar.note += ", " + percent(time / whole_s);
  if (first.measured_time_s) bar.measured = count * *first.measured_time_s;
  if (first.expected_time_s()) {
    if (first.below_bound != BelowBound::fewer_bytes)
      bar.bound = count * first.point.roofline_time_s;
    bar.whisker = whisker_of(count * *first.expected_time_s(), first.expected_uncertainty);
  }
  return bar;
}

Panel layers_panel(const Report& report, std::size_t index) {
  std::vector<Bar> bars;
  for (const TableRow& row : folded_rows(report, index))
    if (row_time_s(row) > 0) bars.push_back(bar_of(row, report.results[index].total.time_s));
  Panel panel{"layers, in the same colours", {}, {}};
  add_bar_legend(panel.legend, bars);
  const ShownResult& result = report.results[index];
  const TableRow rest{result, result.selection.rest};
  if (!rest.layers.empty()) {
    bars.push_back(bar_of_parts(rest, fmt::format("{} others", rest.layers.size())));
    bars.back().note = duration(row_time_s(rest)) + ", " +
                       percent(share_of(row_time_s(rest), result.total.time_s));
  }
  panel.body = Bars{std::move(bars)};
  return panel;
}

Chart time_chart_of(const Report& report, std::size_t index) {
  const Result& result = report.results[index];
  Chart chart;
  chart.title = stack_title(result, true);
  chart.subtitle = time_headline(result);
  if (const auto step = step_panel(result)) chart.panels.push_back(*step);
  chart.panels.push_back(where_time_goes(result));
  chart.panels.push_back(layers_panel(report, index));
  chart.caption =
      "x4: layers alike, together. A roofline longer than its bar: operands in L2, or MACs saved "
      "(Winograd, FFT).";
  return chart;
}

/// Whether all results are one network's, so that a reader compares their bars.
bool is_one_network(const Report& report) {
  return std::ranges::all_of(report.results, [&](const Result& result) {
    return result.setting.label == report.results.front().setting.label;
  });
}

/// One scale for the panels of one heading.
void share_scales(std::vector<Chart>& charts) {
  std::map<std::string, double> longest;
  for (const bool is_known : {false, true})
    for (Chart& chart : charts)
      for (Panel& panel : chart.panels)
        if (auto* bars = std::get_if<Bars>(&panel.body)) {
          double& length = longest[panel.heading];
          for (const Bar& bar : bars->rows) length = std::max(length, length_of(bar));
          if (is_known) bars->least_length = length;
        }
}

/// In the bar's order, which tells parts of one sort apart. The colours mean kinds of layers or
/// limiters below the bar: it is without, the GPU's idle time empty and layers dark.
constexpr std::pair<StepPart, Colour> step_looks[] = {
    {StepPart::idle_host, Colour::paper},
    {StepPart::idle_data_loading, Colour::paper},
    {StepPart::idle_synchronisation, Colour::paper},
    {StepPart::idle_queued, Colour::paper},
    {StepPart::overcounted, Colour::grey},
    {StepPart::copies, Colour::grey},
    {StepPart::collectives, Colour::grey},
    {StepPart::other_kernels, Colour::grey},
};
/// Smaller parts round to nothing.
constexpr double least_step_part = 5e-4;

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
  if (layer.kernel) chart.panels.push_back(parts_panel(row));
  chart.panels.push_back(landing_panel(explanation, layer));
  return chart;
}

}  // namespace

std::optional<Panel> step_panel(const Result& result) {
  const auto& verdict = result.measured.verdict;
  if (!verdict || !verdict->knows_gaps) return std::nullopt;
  std::vector<PartOfTime> parts;
  parts.reserve(std::size(step_looks) + 1);
  for (const auto& [part, colour] : step_looks)
    if (const double time_s = verdict->part_s[part]; time_s > least_step_part * verdict->step_s)
      parts.push_back({part_text(part), std::string(meaning_of(part)), time_s, colour});
  parts.push_back({"layers", "kernels of layers", verdict->layers_s(), Colour::ink});
  return panel_of_parts("where a step goes", {.label = "step"}, parts, verdict->step_s);
}

Panel parts_panel(const TableRow& row) {
  const double whole_s = row_time_s(row);
  Bar bar = bar_of(row, whole_s);
  bar.label = "expected";
  bar.segments.clear();
  Panel panel = panel_of_parts("4. How long that takes: what the expected time is made of", bar,
                               parts_of(row), whole_s);
  add_bar_legend(panel.legend, {bar});
  return panel;
}

std::vector<Chart> time_charts(const Report& report) {
  std::vector<Chart> charts;
  const bool chooses_rows = report.filter.selects() && !report.filter.ranks_gpus();
  for (std::size_t i = 0; i < report.results.size(); ++i)
    if (!chooses_rows || count_shown(report, {i}) > 0) charts.push_back(time_chart_of(report, i));
  if (is_one_network(report)) share_scales(charts);
  return charts;
}

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
