// Layers on the roofline, as Williams, Waterman and Patterson draw it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "report/chart/makers.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// The work of one chart: its results, one a GPU or one an input, and their rows.
struct Subject {
  const Report& report;
  const Work& work;
  std::vector<std::string> gpus;
  std::vector<std::vector<TableRow>> rows;  ///< by result of the work
  bool is_of_one_layer = false;             ///< others are left out on purpose

  const Result& first() const { return report.results[work.front()]; }
  std::size_t gpu_index(const std::string& gpu) const {
    return static_cast<std::size_t>(std::ranges::find(gpus, gpu) - gpus.begin());
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
  Subject subject{report, work, {}, {}, false};
  for (const std::size_t i : work) {
    const std::string& gpu = report.results[i].setting.gpu;
    if (std::ranges::find(subject.gpus, gpu) == subject.gpus.end()) subject.gpus.push_back(gpu);
    subject.rows.push_back(folded_rows(report, i));
  }
  return subject;
}

bool is_on_roofline(const LayerResult& row) {
  return row.counts.flops > 0 && row.point.intensity_flop_per_byte &&
         row.point.attainable_flop_per_s && time_s(row) > 0;
}

/// The time by which a mark stands: measured where it was.
double shown_time_s(const LayerResult& row) { return row.measured_time_s.value_or(time_s(row)); }

double shown_time_s(const TableRow& row) {
  double time = 0;
  for (const std::size_t layer : row.layers) time += shown_time_s(row.result.layers[layer]);
  return time;
}

/// Whose operands the kernel finds in L2 for the most part.
bool is_under_l2(const LayerResult& row) {
  if (!row.kernel || row.point.bound != Bound::memory) return false;
  const double dram = row.kernel->dram_read_byte + row.kernel->dram_write_byte;
  return is_in_cache(row) || dram < static_cast<double>(row.counts.bytes.total) / 2;
}

/// The roof that a layer is under, where that is not its own time.
void add_bound(Mark& mark, const Result& result, const LayerResult& row) {
  if (!row.expected_time_s && !row.measured_time_s) return;
  mark.bound_is_l2 = is_under_l2(row);
  mark.bound_y = mark.bound_is_l2 ? roof_y(result.bounds, row.engine, mark.at.x, true)
                                  : *row.point.attainable_flop_per_s;
}

Mark mark_of(const Subject& subject, std::size_t i, const TableRow& row, double whole_s) {
  const LayerResult& first = row.first();
  const auto flops = static_cast<double>(first.counts.flops);
  const bool many = subject.gpus.size() > 1;
  const Look& look = look_of(first.layer);
  Mark mark;
  mark.label = row_name(row);
  if (subject.has_many_inputs()) mark.label = row.result.setting.label + "/" + mark.label;
  mark.hover = row_hover(row);
  if (many) mark.hover += "\nGPU: " + row.result.setting.gpu;
  mark.link = row_link(subject.report, row);
  mark.symbol = look.symbol;
  mark.colour = many ? gpu_colour(subject.gpu_of(i)) : look.colour;
  mark.at = {*first.point.intensity_flop_per_byte, flops / shown_time_s(first)};
  if (first.measured_time_s && first.expected_time_s)
    mark.expected_y = flops / *first.expected_time_s;
  // Where there are several GPUs, dots on all of their roofs would hide the marks.
  if (!many) add_bound(mark, row.result, first);
  mark.time_s = shown_time_s(row);
  mark.share = share_of(mark.time_s, whole_s);
  return mark;
}

std::vector<Mark> marks_of(const Subject& subject) {
  std::vector<double> whole_s(subject.gpus.size(), 0);
  for (std::size_t i = 0; i < subject.work.size(); ++i)
    for (const LayerResult& row : subject.report.results[subject.work[i]].layers)
      whole_s[subject.gpu_of(i)] += shown_time_s(row);
  std::vector<Mark> marks;
  for (std::size_t i = 0; i < subject.work.size(); ++i)
    for (const TableRow& row : subject.rows[i])
      if (is_on_roofline(row.first()))
        marks.push_back(mark_of(subject, i, row, whole_s[subject.gpu_of(i)]));
  return marks;
}

/// What a single layer's mark is, said at each of its places.
void annotate(Plot& plot, const LayerResult& row) {
  Mark& mark = plot.marks.front();
  const double flops = mark.at.y * shown_time_s(row);
  const auto note = [&](std::string_view what, double y) {
    plot.notes.push_back(
        {{mark.at.x, y}, fmt::format("{} {}, {}", what, si(y, "FLOP/s"), duration(flops / y))});
  };
  if (row.measured_time_s) note("measured", mark.at.y);
  if (row.expected_time_s) {
    const double expected_y = mark.expected_y.value_or(mark.at.y);
    note("expected", expected_y);
    mark.whisker = whisker_of(expected_y, row.expected_uncertainty);
  }
  note("roofline bound", *row.point.attainable_flop_per_s);
  if (mark.bound_y && mark.bound_is_l2) note("roof of L2", *mark.bound_y);
  if (mark.bound_y && *mark.bound_y > mark.at.y)
    plot.notes.push_back({{mark.at.x, std::sqrt(mark.at.y * *mark.bound_y)},
                          fmt::format("{}{} of its roof", row.measured_time_s ? "measured: " : "",
                                      percent(mark.at.y / *mark.bound_y))});
  if (!row.kernel || row.kernel->l2_byte <= 0) return;
  // Where every byte passes L2 once the mark would cover this one.
  if (const double l2_x = flops / row.kernel->l2_byte; l2_x < 0.9 * mark.at.x) {
    mark.l2_x = l2_x;
    plot.notes.push_back({{l2_x, mark.at.y}, plain(l2_x) + " FLOP/B at L2"});
  }
}

/// Room for the marks, the ridges and the flat roofs.
void fit_axes(Plot& plot, const Subject& subject) {
  begin_axes(plot);
  for (const std::size_t i : subject.work)
    include_roofs(plot, subject.report.results[i].bounds, engines_used(subject.report, {i}),
                  subject.gpus.size() == 1);
  widen_axes(plot);
  // Room for words to the right of a mark alone.
  if (!plot.notes.empty()) plot.x.high = std::max(plot.x.high, 12 * plot.marks.front().at.x);
}

std::vector<LegendItem> legend_of(const Plot& plot, const Subject& subject) {
  using Sign = LegendItem::Sign;
  std::vector<TableRow> rows;
  for (const auto& of_result : subject.rows) std::ranges::copy(of_result, std::back_inserter(rows));
  const auto any = [&](auto has) { return std::ranges::any_of(plot.marks, has); };
  std::vector<LegendItem> legend = look_legend(rows);
  std::erase_if(legend, [&](const LegendItem& item) {
    return !any([&](const Mark& mark) {
      return mark.symbol == item.symbol && (mark.colour == item.colour || subject.gpus.size() > 1);
    });
  });
  if (subject.gpus.size() > 1) {
    for (LegendItem& item : legend) item.colour = Colour::ink;
    for (const Result* result : subject.one_of_each_gpu())
      legend.push_back(
          {roof_text(*result), Sign::bar, gpu_colour(subject.gpu_index(result->setting.gpu))});
  }
  const bool measured = any([](const Mark& mark) { return mark.expected_y.has_value(); });
  if (measured) legend.push_back({"expected", Sign::open_mark});
  add_mark_legend(legend, plot.marks);
  if (any([](const Mark& mark) { return mark.whisker.has_value(); }))
    legend.push_back(whisker_legend());
  return legend;
}

/// What is not drawn, as a sentence; empty where all is.
std::string left_out(const Subject& subject, const Thinned& thinned) {
  std::size_t count = 0;
  double time = 0;
  double whole = 0;
  std::size_t cut = 0;
  const LayerResult* longest = nullptr;
  for (std::size_t i = 0; i < subject.work.size(); ++i) {
    const Result& result = subject.report.results[subject.work[i]];
    cut += result.layers.size();
    for (const auto& row : subject.rows[i]) cut -= row.layers.size();
    for (const LayerResult& row : result.layers) {
      whole += shown_time_s(row);
      if (is_on_roofline(row) || shown_time_s(row) == 0) continue;
      ++count;
      time += shown_time_s(row);
      if (longest == nullptr || shown_time_s(row) > shown_time_s(*longest)) longest = &row;
    }
  }
  std::string text;
  if (count > 0 && whole > 0)
    text = fmt::format(" Not drawn: {} without FLOP, {} of the time (longest: {}).",
                       layers_text(count), percent(time / whole),
                       shortened(printable(longest->layer.name), 40));
  if (thinned.count > 0)
    text += fmt::format(" Too short or too slow to draw: {} marks, {} together.", thinned.count,
                        percent(thinned.share));
  if (cut > 0) text += fmt::format(" Not selected: {}.", layers_text(cut));
  return text;
}

Chart roofline_chart_of(const Subject& subject, const std::vector<Engine>& engines) {
  Plot plot;
  plot.marks = marks_of(subject);
  if (plot.marks.size() == 1)
    for (const TableRow& row : subject.rows.front())
      if (is_on_roofline(row.first())) annotate(plot, row.first());
  const bool many = subject.gpus.size() > 1;
  const Thinned thinned = thin(plot.marks, !many);
  constexpr std::size_t most_named_of_many = 6;
  name_longest(plot.marks, many ? most_named_of_many : most_named);
  fit_axes(plot, subject);
  plot.lines = many ? roofs_of_many(subject.one_of_each_gpu(), plot)
                    : roofs_of_one(subject.first().bounds, engines, plot);
  if (plot.marks.size() == 1) {
    const Mark& mark = plot.marks.front();
    plot.lines.push_back(foot_line(mark.at, plot.y, plain(mark.at.x) + " FLOP/B", mark.colour));
  }
  Chart chart;
  chart.title = subject.has_many_inputs()
                    ? fmt::format("{} inputs of one layer", subject.work.size())
                    : work_title(subject.first(), false);
  chart.subtitle = fmt::format("roofline of {}", fmt::join(subject.gpus, ", "));
  if (!subject.has_many_inputs()) chart.batch = subject.first().setting.batch;
  if (plot.marks.size() > 1)
    chart.caption = many ? "Area: share of its GPU's time; times: in the order of the GPUs. "
                         : "Area: share of the time; x4: layers alike. ";
  chart.caption += "FLOP/B: 1 MAC is 2 FLOP, each operand moves once.";
  if (!subject.is_of_one_layer) chart.caption += left_out(subject, thinned);
  std::vector<LegendItem> legend = legend_of(plot, subject);
  chart.panels.push_back({"", std::move(plot), std::move(legend)});
  return chart;
}

}  // namespace

std::vector<Chart> roofline_charts(const Report& report) {
  std::vector<Chart> charts;
  for (const Work& work : works_of(report))
    if (const std::vector<Engine> engines = engines_used(report, work); !engines.empty())
      charts.push_back(roofline_chart_of(subject_of(report, work), engines));
  if (charts.empty() && !report.results.empty())
    throw InputError("roofline chart: expected layers with FLOP, got none");
  return charts;
}

std::vector<Chart> explained_charts(const Report& report) {
  std::vector<Chart> charts;
  for (const Explanation& each : report.explanations) {
    const Result& result = report.results[each.result];
    const TableRow row{result, {each.row}};
    if (!is_on_roofline(row.first())) continue;
    const Work work{each.result};
    charts.push_back(roofline_chart_of({report, work, {result.setting.gpu}, {{row}}, true},
                                       {row.first().engine}));
    charts.back().title = row_name(row) + " of " + charts.back().title;
  }
  if (charts.empty())
    throw InputError(
        "picture of a layer: expected one with FLOP and a kernel of its own, got none");
  return charts;
}

}  // namespace roofline
