// Layers on the roofline, as Williams, Waterman and Patterson draw it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "report/chart/makers.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// How layers look.
struct Look {
  std::string_view name;
  KindFamily family;
  Colour colour;
  Symbol symbol;
};

constexpr Look looks[] = {
    {"conv", KindFamily::contraction, Colour::blue, Symbol::circle},
    {"grouped conv", KindFamily::contraction, Colour::sky, Symbol::hexagon},
    {"linear, matmul", KindFamily::contraction, Colour::vermillion, Symbol::square},
    {"attention", KindFamily::attention, Colour::ink, Symbol::pentagon},
    {"norm", KindFamily::norm, Colour::green, Symbol::diamond},
    {"activation", KindFamily::activation, Colour::orange, Symbol::triangle},
    {"pool", KindFamily::pool, Colour::purple, Symbol::triangle_down},
    {"add, mul, concat", KindFamily::combine, Colour::yellow, Symbol::plus},
    {"other", KindFamily::free, Colour::grey, Symbol::cross},
};

const Look& look_of(const Layer& layer) {
  if (layer.kind == LayerKind::linear || layer.kind == LayerKind::matmul) return looks[2];
  const KindFamily family = info(layer.kind).family;
  if (family == KindFamily::contraction && layer.groups > 1) return looks[1];
  const auto* const found = std::ranges::find(looks, family, &Look::family);
  return found == std::end(looks) ? *std::prev(found) : *found;
}

/// The work of one chart: its results, one a GPU or one an input, and their rows.
struct Subject {
  const Report& report;
  std::vector<const Result*> results;
  std::vector<TableRow> rows;
  bool is_of_one_layer = false;          ///< others are left out on purpose
  std::vector<const Result*> gpus = {};  ///< the first result of each GPU

  const Result& first() const { return *results.front(); }
  std::size_t gpu_of(const Result& result) const {
    const auto found = std::ranges::find_if(
        gpus, [&](const Result* each) { return each->setting.gpu == result.setting.gpu; });
    return static_cast<std::size_t>(found - gpus.begin());
  }
  bool has_many_gpus() const { return gpus.size() > 1; }
  bool has_many_inputs() const { return results.size() > gpus.size(); }
};

bool share_a_chart(const Result& a, const Result& b) {
  if (a.layers.size() == 1 && b.layers.size() == 1) return true;
  const auto work = [](const Result& result) {
    return std::tie(result.setting.source, result.setting.network, result.setting.item,
                    result.setting.batch, result.setting.dtype, result.setting.training,
                    result.setting.pass);
  };
  return work(a) == work(b) && a.setting.gpu != b.setting.gpu;
}

/// Engines that the results' layers with FLOP run on, the fastest first.
std::vector<Engine> engines_used(const std::vector<const Result*>& results) {
  std::vector<Engine> engines;
  for (const Result* result : results)
    for (const LayerResult& row : result->layers)
      if (row.counts.flops > 0 && runs_on_engine(row.layer)) engines.push_back(row.engine);
  return fastest_first(engines, results.front()->bounds.roofs.datasheet_flop_per_s);
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

Mark mark_of(const Subject& subject, const TableRow& row, double whole_s) {
  const LayerResult& first = row.first();
  const auto flops = static_cast<double>(first.counts.flops);
  const bool many = subject.has_many_gpus();
  const Look& look = look_of(first.layer);
  Mark mark;
  mark.label = row_name(row);
  if (subject.has_many_inputs()) mark.label = row.result.setting.label + "/" + mark.label;
  mark.hover = row_hover(row);
  if (many) mark.hover += "\nGPU: " + row.result.setting.gpu;
  mark.link = row_link(subject.report, row);
  mark.symbol = look.symbol;
  mark.colour = many ? gpu_colour(subject.gpu_of(row.result)) : look.colour;
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
  for (const Result* result : subject.results)
    for (const LayerResult& row : result->layers)
      whole_s[subject.gpu_of(*result)] += shown_time_s(row);
  std::vector<Mark> marks;
  for (const TableRow& row : subject.rows)
    if (is_on_roofline(row.first()))
      marks.push_back(mark_of(subject, row, whole_s[subject.gpu_of(row.result)]));
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

/// "Tesla V100: fp32 15.70 TFLOP/s, 900.0 GB/s, ridge 17.44"
std::string roof_text(const Result& result) {
  const double peak = *rate_of(result.bounds.ceilings.peak_flop_per_s, result.bounds.main_engine);
  const double memory = result.bounds.ceilings.bandwidth_byte_per_s;
  return fmt::format("{}: {} {}, {}, ridge {}", result.setting.gpu,
                     name_of(result.bounds.main_engine), si(peak, "FLOP/s"), si(memory, "B/s"),
                     plain(peak / memory));
}

/// Of several GPUs colours are those of GPUs.
std::vector<LegendItem> legend_of(const std::vector<Mark>& marks, const Subject& subject) {
  const bool many = subject.has_many_gpus();
  std::vector<LegendItem> legend;
  for (const Look& look : looks)
    if (std::ranges::any_of(marks, [&](const Mark& mark) {
          return mark.symbol == look.symbol && (many || mark.colour == look.colour);
        }))
      legend.push_back({std::string(look.name), LegendItem::Sign::mark,
                        many ? Colour::ink : look.colour, look.symbol});
  for (std::size_t i = 0; many && i < subject.gpus.size(); ++i)
    legend.push_back({roof_text(*subject.gpus[i]), LegendItem::Sign::bar, gpu_colour(i)});
  add_mark_legend(legend, marks);
  return legend;
}

/// The layers that have no place, as a sentence; empty where all have one.
std::string without_flop_text(const Subject& subject) {
  std::size_t count = 0;
  double time_s = 0;
  double whole_s = 0;
  for (const Result* result : subject.results)
    for (const LayerResult& row : result->layers) {
      whole_s += shown_time_s(row);
      if (is_on_roofline(row) || shown_time_s(row) == 0) continue;
      ++count;
      time_s += shown_time_s(row);
    }
  if (count == 0) return "";
  return fmt::format(" Not drawn: {} {} without FLOP, {} of the time.", count,
                     count == 1 ? "layer" : "layers", percent(time_s / whole_s));
}

Chart chart_of(Subject subject, const std::vector<Engine>& engines) {
  for (const Result* result : subject.results)
    if (subject.gpu_of(*result) == subject.gpus.size()) subject.gpus.push_back(result);
  const bool many = subject.has_many_gpus();
  Plot plot;
  plot.marks = marks_of(subject);
  if (plot.marks.size() == 1)
    for (const TableRow& row : subject.rows)
      if (is_on_roofline(row.first())) annotate(plot, row.first());
  const std::string left_out = thin(plot.marks);
  std::vector<KeyRow> key;
  if (plot.notes.empty()) key = number_longest(plot.marks, many);
  std::vector<UsedRoofs> roofs;
  for (const Result* result : subject.results)
    roofs.push_back({result->bounds, engines_used({result})});
  fit_axes(plot, roofs, !many);
  // Room for words to the right of a mark alone.
  if (!plot.notes.empty()) plot.x.high = std::max(plot.x.high, 12 * plot.marks.front().at.x);
  plot.lines = many ? roofs_of_many(subject.gpus, plot)
                    : roofs_of_one(subject.first().bounds, engines, plot);
  if (!plot.notes.empty()) {
    const Mark& mark = plot.marks.front();
    plot.lines.push_back(foot_line(mark.at, plot.y, plain(mark.at.x) + " FLOP/B", mark.colour));
  }
  std::vector<std::string> gpus;
  for (const Result* result : subject.gpus) gpus.push_back(result->setting.gpu);
  Chart chart;
  chart.title = subject.has_many_inputs()
                    ? fmt::format("{} inputs of one layer", subject.results.size())
                    : work_title(subject.first(), false);
  chart.subtitle = fmt::format("roofline of {}", fmt::join(gpus, ", "));
  if (!subject.has_many_inputs()) chart.batch = subject.first().setting.batch;
  if (plot.marks.size() > 1)
    chart.caption = many ? "Area: share of its GPU's time; times: in the order of the GPUs. "
                         : "Area: share of the time; x4: layers alike. ";
  chart.caption += "FLOP/B: 1 MAC is 2 FLOP, each operand moves once.";
  if (!subject.is_of_one_layer) chart.caption += without_flop_text(subject) + left_out;
  std::vector<LegendItem> legend = legend_of(plot.marks, subject);
  chart.panels.push_back({"", std::move(plot), std::move(legend), std::move(key)});
  return chart;
}

}  // namespace

std::vector<Chart> roofline_charts(const Report& report) {
  std::vector<Chart> charts;
  for (const ResultGroup& group : grouped_results(report, share_a_chart)) {
    Subject subject{report, {}, {}};
    for (const std::size_t i : group) {
      subject.results.push_back(&report.results[i]);
      std::ranges::copy(folded_rows(report, i), std::back_inserter(subject.rows));
    }
    if (const std::vector<Engine> engines = engines_used(subject.results); !engines.empty())
      charts.push_back(chart_of(std::move(subject), engines));
  }
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
    charts.push_back(chart_of({report, {&result}, {row}, true}, {row.first().engine}));
    charts.back().title = row_name(row) + " of " + charts.back().title;
  }
  if (charts.empty())
    throw InputError(
        "picture of a layer: expected one with FLOP and a kernel of its own, got none");
  return charts;
}

}  // namespace roofline
