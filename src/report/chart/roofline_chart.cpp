// The roofline as Williams, Waterman and Patterson draw it, with the layers on it.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/chart/layers.hpp"
#include "report/chart/makers.hpp"
#include "report/chart/roofs.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// The work of one chart: its results, one a GPU or one an input, and their rows.
struct Subject {
  const Report& report;
  const Work& work;
  std::vector<std::string> gpus;
  std::vector<std::vector<TableRow>> rows;  ///< by result of the work

  const Result& first() const { return report.results[work.front()]; }
  std::size_t gpu_index(const std::string& gpu) const {
    return static_cast<std::size_t>(std::find(gpus.begin(), gpus.end(), gpu) - gpus.begin());
  }
  std::size_t gpu_of(std::size_t i) const { return gpu_index(report.results[work[i]].setting.gpu); }
  std::vector<const Result*> one_of_each_gpu() const {
    std::vector<const Result*> results(gpus.size());
    for (std::size_t i = work.size(); i-- > 0;) results[gpu_of(i)] = &report.results[work[i]];
    return results;
  }
  bool has_many_inputs() const { return work.size() > gpus.size(); }
};

Subject subject_of(const Report& report, const Work& work) {
  Subject subject{report, work, {}, {}};
  for (const std::size_t i : work) {
    const std::string& gpu = report.results[i].setting.gpu;
    if (std::find(subject.gpus.begin(), subject.gpus.end(), gpu) == subject.gpus.end())
      subject.gpus.push_back(gpu);
    subject.rows.push_back(folded_rows(report, i));
  }
  return subject;
}

bool is_on_roofline(const LayerResult& row) {
  return row.counts.flops > 0 && row.point.intensity_flop_per_byte &&
         row.point.attainable_flop_per_s && time_s(row) > 0;
}

/// Those few are told apart at L2 as well.
constexpr std::size_t most_with_l2 = 3;

Mark mark_of(const Subject& subject, std::size_t i, const TableRow& row, double whole_s) {
  const LayerResult& first = row.first();
  const auto flops = static_cast<double>(first.counts.flops);
  const Look& look = look_of(first.layer);
  Mark mark;
  // Of several GPUs the first one's marks have the names.
  if (subject.gpu_of(i) == 0) mark.label = row_name(row);
  if (subject.has_many_inputs() && !mark.label.empty())
    mark.label = row.result.setting.label + "/" + mark.label;
  mark.hover = row_hover(row);
  if (subject.gpus.size() > 1) mark.hover += "\nGPU: " + row.result.setting.gpu;
  mark.link = row_link(subject.report, row);
  mark.at = {*first.point.intensity_flop_per_byte, flops / time_s(first)};
  if (first.expected_time_s) mark.bound_y = first.point.attainable_flop_per_s;
  if (first.measured_time_s) mark.measured_y = flops / *first.measured_time_s;
  if (first.kernel && first.kernel->l2_byte > 0 && subject.work.size() == 1 &&
      subject.rows[i].size() <= most_with_l2)
    mark.l2_x = flops / first.kernel->l2_byte;
  mark.share = share_of(row_time_s(row), whole_s);
  mark.colour = subject.gpus.size() > 1 ? gpu_colour(subject.gpu_of(i)) : look.colour;
  mark.symbol = look.symbol;
  return mark;
}

std::vector<Mark> marks_of(const Subject& subject) {
  std::vector<double> whole_s(subject.gpus.size(), 0);
  for (std::size_t i = 0; i < subject.work.size(); ++i)
    whole_s[subject.gpu_of(i)] += subject.report.results[subject.work[i]].total.time_s;
  std::vector<Mark> marks;
  for (std::size_t i = 0; i < subject.work.size(); ++i)
    for (const TableRow& row : subject.rows[i])
      if (is_on_roofline(row.first()))
        marks.push_back(mark_of(subject, i, row, whole_s[subject.gpu_of(i)]));
  return marks;
}

/// Room for the marks, the ridges and the flat roofs.
void fit_axes(Plot& plot, const Subject& subject) {
  begin_axes(plot);
  for (const std::size_t i : subject.work)
    include_roofs(plot, subject.report.results[i].bounds, engines_used(subject.report, {i}),
                  subject.gpus.size() == 1);
  widen_axes(plot);
}

std::vector<LegendItem> legend_of(const Plot& plot, const Subject& subject) {
  using Sign = LegendItem::Sign;
  std::vector<TableRow> drawn;
  for (const auto& rows : subject.rows)
    for (const TableRow& row : rows)
      if (is_on_roofline(row.first())) drawn.push_back(row);
  std::vector<LegendItem> legend = look_legend(drawn, Sign::mark);
  const bool many = subject.gpus.size() > 1;
  if (many) {
    for (LegendItem& item : legend) item.colour = Colour::ink;
    for (const Result* result : subject.one_of_each_gpu())
      legend.push_back({roof_text(*result),
                        Sign::bar,
                        gpu_colour(subject.gpu_index(result->setting.gpu)),
                        Symbol::square,
                        {}});
  }
  const auto any = [&](auto has) { return std::any_of(plot.marks.begin(), plot.marks.end(), has); };
  if (any([](const Mark& mark) { return mark.bound_y.has_value(); }))
    legend.push_back({"roofline bound", Sign::bound, Colour::ink, {}, {}});
  if (any([](const Mark& mark) { return mark.measured_y.has_value(); }))
    legend.push_back({"measured", Sign::open_mark, Colour::ink, Symbol::circle, {}});
  if (!many) add_roof_legend(legend, plot.lines, subject.first().bounds.ceilings.kind);
  return legend;
}

/// What is not drawn, as a sentence; empty where all is.
std::string left_out(const Subject& subject) {
  std::size_t count = 0;
  double time = 0;
  double whole = 0;
  std::size_t cut = 0;
  for (std::size_t i = 0; i < subject.work.size(); ++i) {
    const Result& result = subject.report.results[subject.work[i]];
    cut += result.layers.size();
    whole += result.total.time_s;
    for (const auto& row : subject.rows[i]) cut -= row.layers.size();
    for (const LayerResult& row : result.layers) {
      if (is_on_roofline(row) || time_s(row) == 0) continue;
      ++count;
      time += time_s(row);
    }
  }
  std::string text;
  if (count > 0 && whole > 0)
    text = fmt::format("Not drawn: {} without FLOP, {} of the time.", layers_text(count),
                       percent(time / whole));
  if (cut > 0)
    text += fmt::format("{}Not selected: {}.", text.empty() ? "" : " ", layers_text(cut));
  return text;
}

std::vector<std::string> caption_of(const Plot& plot, const Subject& subject) {
  const auto any = [&](auto has) { return std::any_of(plot.marks.begin(), plot.marks.end(), has); };
  const bool expected = any([](const Mark& mark) { return mark.bound_y.has_value(); });
  std::vector<std::string> caption{
      fmt::format("Mark: a layer's FLOP over its {} time; layers alike are one mark (x4). Named: "
                  "those that take longest.",
                  expected ? "expected" : "bound's")};
  if (any([](const Mark& mark) { return mark.bound_y && mark.at.y > *mark.bound_y; }))
    caption.emplace_back(
        "A mark above its roofline has its operands in L2, or saves MACs (Winograd, FFT).");
  caption.emplace_back(intensity_conventions);
  caption.push_back(subject.gpus.size() > 1
                        ? "Roofs: dense peak of the main engine, bandwidth of device memory."
                        : roofs_sentence(subject.first().bounds.ceilings.kind));
  if (const std::string text = left_out(subject); !text.empty()) caption.push_back(text);
  return caption;
}

std::vector<std::string> key_of(const Plot& plot) {
  std::string key = "Area of a mark: the share of the time.";
  if (std::any_of(plot.marks.begin(), plot.marks.end(),
                  [](const Mark& mark) { return mark.l2_x.has_value(); }))
    key += " Small mark: the same kernel over the bytes that it moves at L2.";
  return {key};
}

Chart roofline_chart_of(const Report& report, const Work& work) {
  const Subject subject = subject_of(report, work);
  const std::vector<Engine> engines = engines_used(report, work);
  Plot plot;
  plot.marks = marks_of(subject);
  fit_axes(plot, subject);
  if (subject.gpus.size() > 1) {
    plot.lines = roofs_of_many(subject.one_of_each_gpu(), plot.x, plot.y);
  } else {
    plot.lines = roofs_of_one(subject.first().bounds, engines, plot.x, plot.y);
  }
  Chart chart;
  chart.title = subject.has_many_inputs() ? fmt::format("{} inputs of one layer", work.size())
                                          : work_title(subject.first(), false);
  chart.subtitle = fmt::format("roofline of {}", fmt::join(subject.gpus, ", "));
  chart.caption = caption_of(plot, subject);
  chart.key = key_of(plot);
  std::vector<LegendItem> legend = legend_of(plot, subject);
  chart.panels.push_back({"", std::move(plot), std::move(legend)});
  return chart;
}

}  // namespace

std::vector<Chart> roofline_charts(const Report& report) {
  std::vector<Chart> charts;
  for (const Work& work : works_of(report))
    if (!engines_used(report, work).empty()) charts.push_back(roofline_chart_of(report, work));
  if (charts.empty() && !report.results.empty())
    throw InputError("roofline chart: expected layers with FLOP, got none");
  return charts;
}

}  // namespace roofline
