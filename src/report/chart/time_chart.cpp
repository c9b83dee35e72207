#include <fmt/format.h>

#include <numeric>

#include "report/chart/makers.hpp"
#include "report/sections.hpp"

namespace roofline {
namespace {

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
  std::vector<PartOfTime> parts;
  parts.reserve(count_of<Limiter> + 1);
  for (const Limiter limiter : enumerators<Limiter>)
    parts.push_back({words(name_of(limiter)), std::string(meaning_of(limiter)), part_s[limiter],
                     colour_of(limiter)});
  parts.push_back({"host link or view", "no kernel of its own", without_kernel_s, Colour::grey});
  return parts;
}

/// A bar of the parts above 0 with the whole behind it; their shares go to the panel's legend.
Bar bar_of_parts(Panel& panel, std::string label, const std::vector<PartOfTime>& parts,
                 double whole_s) {
  Bar bar{.label = std::move(label), .note = duration(whole_s)};
  for (const PartOfTime& part : parts) {
    if (part.time_s <= 0) continue;
    const std::string share = percent(share_of(part.time_s, whole_s));
    bar.segments.push_back(
        {part.time_s, part.colour,
         fmt::format("{}: {}\n{}, {}", part.name, part.meaning, duration(part.time_s), share)});
    panel.legend.push_back(
        {fmt::format("{} {}", part.name, share), LegendItem::Sign::bar, part.colour});
  }
  return bar;
}

Panel where_time_goes(const Result& result) {
  TableRow all{result, std::vector<std::size_t>(result.layers.size())};
  std::iota(all.layers.begin(), all.layers.end(), std::size_t{0});
  const std::vector<PartOfTime> parts = parts_of(all);
  double whole_s = 0;
  for (const PartOfTime& part : parts) whole_s += part.time_s;
  const bool is_measured = result.total.measured_time_s.has_value();
  Panel panel{is_measured ? "where the expected time goes" : "where the time goes", {}, {}};
  Bar bar = bar_of_parts(panel, "all layers", parts, whole_s);
  bar.measured = result.total.measured_time_s;
  bar.whisker = whisker_of(whole_s, result.total.expected_uncertainty);
  panel.body = Bars{{std::move(bar)}};
  return panel;
}

Bar bar_of_parts(const TableRow& row, const std::string& hover = "") {
  Bar bar;
  for (const PartOfTime& part : parts_of(row))
    if (part.time_s > 0) bar.segments.push_back({part.time_s, part.colour, hover});
  return bar;
}

Bar bar_of(const TableRow& row, double whole_s) {
  const LayerResult& first = row.first();
  const auto count = static_cast<double>(row.layers.size());
  const double time = row_time_s(row);
  Bar bar = bar_of_parts(row, row_hover(row));
  bar.label = row_name(row);
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
  const Result& result = report.results[index];
  const TableRow rest{result, report.selections[index].rest};
  if (!rest.layers.empty()) {
    bars.push_back(bar_of_parts(rest));
    bars.back().label = fmt::format("{} others", rest.layers.size());
    bars.back().note = duration(row_time_s(rest)) + ", " +
                       percent(share_of(row_time_s(rest), result.total.time_s));
  }
  panel.body = Bars{std::move(bars)};
  return panel;
}

Chart time_chart_of(const Report& report, std::size_t index) {
  const Result& result = report.results[index];
  Chart chart;
  chart.title = work_title(result, true);
  chart.subtitle = time_headline(result);
  if (const auto step = step_panel(result)) chart.panels.push_back(*step);
  chart.panels.push_back(where_time_goes(result));
  chart.panels.push_back(layers_panel(report, index));
  chart.caption =
      "x4: layers alike, together. A roofline longer than its bar: operands in L2, or MACs saved "
      "(Winograd, FFT).";
  return chart;
}

/// In the bar's order.
struct StepLook {
  StepPart part;
  Colour colour;
};
constexpr StepLook step_looks[] = {
    {StepPart::idle_host, Colour::vermillion},      {StepPart::idle_data_loading, Colour::orange},
    {StepPart::idle_synchronisation, Colour::wine}, {StepPart::idle_queued, Colour::yellow},
    {StepPart::overcounted, Colour::brown},         {StepPart::copies, Colour::purple},
    {StepPart::collectives, Colour::green},         {StepPart::other_kernels, Colour::sky},
};
/// Smaller parts round to nothing.
constexpr double least_step_part = 5e-4;

}  // namespace

std::optional<Panel> step_panel(const Result& result) {
  const auto& verdict = result.measured.verdict;
  if (!verdict || !verdict->knows_gaps) return std::nullopt;
  std::vector<PartOfTime> parts;
  parts.reserve(std::size(step_looks) + 1);
  for (const auto& [part, colour] : step_looks)
    if (const double time_s = verdict->part_s[part]; time_s > least_step_part * verdict->step_s)
      parts.push_back({part_text(part), std::string(meaning_of(part)), time_s, colour});
  parts.push_back({"layers", "kernels of layers", verdict->layers_s(), Colour::blue});
  Panel panel{"where a step goes", {}, {}};
  panel.body = Bars{{bar_of_parts(panel, "step", parts, verdict->step_s)}};
  return panel;
}

Panel parts_panel(const TableRow& row) {
  Panel panel;
  const double whole_s = row_time_s(row);
  Bar bar = bar_of(row, whole_s);
  bar_of_parts(panel, "", parts_of(row), whole_s);
  bar.label = "expected";
  add_bar_legend(panel.legend, {bar});
  panel.body = Bars{{std::move(bar)}};
  return panel;
}

std::vector<Chart> time_charts(const Report& report) {
  std::vector<Chart> charts;
  const bool chooses_rows = report.filter.selects() && !report.filter.ranks_gpus();
  for (std::size_t i = 0; i < report.results.size(); ++i)
    if (!chooses_rows || count_shown(report, {i}) > 0) charts.push_back(time_chart_of(report, i));
  return charts;
}

}  // namespace roofline
