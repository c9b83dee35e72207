// Layers on the roofline, as Williams, Waterman and Patterson draw it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "model/layer_kind.hpp"
#include "report/chart/makers.hpp"
#include "report/sections.hpp"
#include "results/report.hpp"

namespace roofline {
namespace {

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
    {"recurrent", KindFamily::recurrent, Colour::vermillion, Symbol::pentagon},
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
  if (family == KindFamily::deformable) return looks[0];
  const auto* const found = std::ranges::find(looks, family, &Look::family);
  return found == std::end(looks) ? *std::prev(found) : *found;
}

template <class T>
std::size_t index_in(const std::vector<T>& all, const T& one) {
  return static_cast<std::size_t>(std::ranges::find(all, one) - all.begin());
}

std::string dtype_text(const std::optional<DataType>& type) {
  return type ? std::string(name_of(*type)) : "mixed types";
}

/// A plot for each GPU, with marks by type or input.
struct Subject {
  const Report& report;
  std::vector<const Result*> results;
  std::vector<TableRow> rows;
  std::vector<std::string> gpus = {};
  std::vector<std::string> inputs = {};
  std::vector<std::optional<DataType>> types = {};  ///< empty for a single colour

  Subject(const Report& all, std::vector<const Result*> of, std::vector<TableRow> shown)
      : report(all), results(std::move(of)), rows(std::move(shown)) {
    for (const Result* result : results) {
      add_new(gpus, result->setting.gpu);
      add_new(inputs, result->setting.label);
      add_new(types, result->setting.dtype);
    }
    if (inputs.size() > 1) types.resize(1);
  }

  const Result& first() const { return *results.front(); }
  bool has_many() const { return gpus.size() * types.size() > 1; }
  std::size_t gpu_of(const Result& result) const { return index_in(gpus, result.setting.gpu); }
  std::size_t type_of(const Result& result) const {
    return types.size() == 1 ? 0 : index_in(types, result.setting.dtype);
  }
  /// Results with one index share one whole of time.
  std::size_t whole_of(const Result& result) const {
    return gpu_of(result) * types.size() + type_of(result);
  }
};

bool share_a_chart(const Result& a, const Result& b) {
  if (a.layers.size() == 1 && b.layers.size() == 1) return true;
  const auto work = [](const Result& result) {
    return std::tie(result.setting.source, result.setting.network, result.setting.item,
                    result.setting.batch, result.setting.training, result.setting.pass);
  };
  const auto place = [](const Result& result) {
    return std::tie(result.setting.gpu, result.setting.dtype);
  };
  return work(a) == work(b) && place(a) != place(b);
}

bool is_on_roofline(const LayerResult& row) {
  return row.counts.flops > 0 && row.point.intensity_flop_per_byte &&
         row.point.attainable_flop_per_s && time_s(row) > 0 &&
         row.below_bound != BelowBound::fewer_bytes;
}

/// The time that places a mark: measured if known.
double shown_time_s(const LayerResult& row) { return row.measured_time_s.value_or(time_s(row)); }

double shown_time_s(const TableRow& row) {
  return sum_over(row.layers, [&](std::size_t i) { return shown_time_s(row.result.layers[i]); });
}

/// Whether the kernel is faster than its roofline because operands are in cache.
bool is_in_cache(const LayerResult& row) {
  return is_below_roofline(row) && row.point.bound == Bound::memory &&
         row.kernel->dram_read_byte + row.kernel->dram_write_byte <
             static_cast<double>(row.counts.bytes.total);
}

/// Whether the kernel finds most operands in L2.
bool is_under_l2(const LayerResult& row) {
  if (!row.kernel || row.point.bound != Bound::memory) return false;
  const double dram = row.kernel->dram_read_byte + row.kernel->dram_write_byte;
  return is_in_cache(row) || dram < static_cast<double>(row.counts.bytes.total) / 2;
}

/// The layer's roof, unless its time is that roof.
void add_bound(Mark& mark, const Result& result, const LayerResult& row) {
  if (!row.expected_time_s() && !row.measured_time_s) return;
  mark.bound_is_l2 = is_under_l2(row);
  mark.bound_y = mark.bound_is_l2 ? roof_y(result.bounds, row.engine, mark.at.x, true)
                                  : *row.point.attainable_flop_per_s;
}

Mark mark_of(const Subject& subject, const TableRow& row, double whole_s) {
  const LayerResult& first = row.first();
  const auto flops = static_cast<double>(first.counts.flops);
  const Look& look = look_of(first.layer);
  Mark mark;
  mark.label = row_name(row);
  if (subject.inputs.size() > 1) mark.label = row.result.setting.label + "/" + mark.label;
  mark.hover = row_hover(row);
  if (subject.gpus.size() > 1) mark.hover += "\nGPU: " + row.result.setting.gpu;
  mark.symbol = look.symbol;
  mark.colour = subject.types.size() > 1 ? series_colour(subject.type_of(row.result)) : look.colour;
  mark.plot = subject.gpu_of(row.result);
  if (subject.gpus.size() > 1) mark.series = row.result.setting.gpu;
  if (subject.types.size() > 1)
    mark.series += (mark.series.empty() ? "" : ", ") + dtype_text(row.result.setting.dtype);
  mark.at = {*first.point.intensity_flop_per_byte, flops / shown_time_s(first)};
  if (first.measured_time_s && first.expected_time_s())
    mark.expected_y = flops / *first.expected_time_s();
  // With several plots or types, dots on all roofs would hide the marks.
  if (!subject.has_many()) add_bound(mark, row.result, first);
  mark.time_s = shown_time_s(row);
  mark.share = share_of(mark.time_s, whole_s);
  return mark;
}

std::vector<Mark> marks_of(const Subject& subject) {
  std::vector<double> whole_s(subject.gpus.size() * subject.types.size(), 0);
  for (const Result* result : subject.results)
    for (const LayerResult& row : result->layers)
      whole_s[subject.whole_of(*result)] += shown_time_s(row);
  std::vector<Mark> marks;
  for (const TableRow& row : subject.rows)
    if (is_on_roofline(row.first()))
      marks.push_back(mark_of(subject, row, whole_s[subject.whole_of(row.result)]));
  return marks;
}

std::vector<Note> annotate(Mark& mark, const LayerResult& row) {
  std::vector<Note> notes;
  const double flops = mark.at.y * shown_time_s(row);
  const auto note = [&](std::string_view what, double y) {
    notes.push_back(
        {{mark.at.x, y}, fmt::format("{} {}, {}", what, si(y, "FLOP/s"), duration(flops / y))});
  };
  if (row.measured_time_s) note("measured", mark.at.y);
  if (row.expected_time_s()) {
    const double expected_y = mark.expected_y.value_or(mark.at.y);
    note("expected", expected_y);
    mark.whisker = whisker_of(expected_y, row.expected_uncertainty);
  }
  note("roofline", *row.point.attainable_flop_per_s);
  if (mark.bound_y && mark.bound_is_l2) note("roof of L2", *mark.bound_y);
  if (mark.bound_y && *mark.bound_y > mark.at.y)
    notes.push_back({{mark.at.x, std::sqrt(mark.at.y * *mark.bound_y)},
                     fmt::format("{}{} of its roof", row.measured_time_s ? "measured: " : "",
                                 percent(mark.at.y / *mark.bound_y))});
  if (!row.kernel || row.kernel->l2_byte <= 0) return notes;
  // If all bytes pass L2 once, the mark would cover this place.
  if (const double l2_x = flops / row.kernel->l2_byte; l2_x < 0.9 * mark.at.x) {
    mark.l2_x = l2_x;
    notes.push_back({{l2_x, mark.at.y}, plain(l2_x) + " FLOP/B at L2"});
  }
  return notes;
}

/// With several types, colours mean types.
std::vector<LegendItem> legend_of(const std::vector<Mark>& marks, const Subject& subject) {
  const bool many_types = subject.types.size() > 1;
  std::vector<LegendItem> legend;
  for (const Look& look : looks)
    if (std::ranges::any_of(marks, [&](const Mark& mark) { return mark.symbol == look.symbol; }))
      legend.push_back({std::string(look.name), LegendItem::Sign::mark,
                        many_types ? Colour::grey : look.colour, look.symbol});
  for (std::size_t i = 0; many_types && i < subject.types.size(); ++i)
    legend.push_back({dtype_text(subject.types[i]), LegendItem::Sign::bar, series_colour(i)});
  add_mark_legend(legend, marks);
  return legend;
}

struct LayersTime {
  std::size_t layers = 0;
  double time_s = 0;

  void add(const LayerResult& row) {
    ++layers;
    time_s += shown_time_s(row);
  }
};

/// Layers by why their mark is not, or not below the roof, in the picture.
struct OddLayers {
  LayersTime all;
  LayersTime saving;
  LayersTime in_l2;
  LayersTime without_flop;
  LayersTime without_bound;
  LayersTime rest;

  explicit OddLayers(const Subject& subject) {
    for (const ShownResult& result : subject.report.results) {
      if (!contains(subject.results, &result)) continue;
      for (const std::size_t i : result.selection.rest)
        if (const LayerResult& row = result.layers[i]; is_on_roofline(row)) rest.add(row);
      for (const LayerResult& row : result.layers) add(row);
    }
  }

  std::string text(const LayersTime& some, std::string_view before, std::string_view which,
                   std::string_view why = "") const {
    if (some.layers == 0) return "";
    return fmt::format(" {}: {} {}{}, {} of the time{}.", before, some.layers,
                       some.layers == 1 ? "layer" : "layers", which,
                       percent(share_of(some.time_s, all.time_s)), why);
  }

 private:
  void add(const LayerResult& row) {
    all.add(row);
    const bool is_drawn = is_on_roofline(row);
    if (!is_drawn && shown_time_s(row) > 0)
      (row.counts.flops > 0 ? without_bound : without_flop).add(row);
    if (is_drawn && shown_time_s(row) < row.point.roofline_time_s)
      (row.kernel && saves_macs(row.kernel->algorithm) ? saving : in_l2).add(row);
  }
};

std::string above_roof_text(const Subject& subject) {
  const OddLayers odd(subject);
  return odd.text(odd.saving, "Above the roof", "",
                  ": Winograd or FFT need fewer MACs than are counted") +
         odd.text(odd.in_l2, "Above the roof", "", ": operands in L2");
}

std::string not_drawn_text(const Subject& subject) {
  const OddLayers odd(subject);
  return odd.text(odd.without_flop, "Not drawn", " without FLOP") +
         odd.text(odd.without_bound, "Not drawn", " without a bound") +
         odd.text(odd.rest, "Not drawn", " of the rest");
}

/// Engines of the shown rows on one GPU; with several types, the main engine of each.
std::vector<Engine> engines_of(const Subject& subject, const std::string& gpu) {
  std::vector<EnumArray<Engine, double>> flop(subject.types.size());
  const Bounds* bounds = &subject.first().bounds;
  for (const TableRow& row : subject.rows) {
    const LayerResult& first = row.first();
    if (row.result.setting.gpu != gpu || !has_kernel(first.layer)) continue;
    bounds = &row.result.bounds;
    flop[subject.type_of(row.result)][first.engine] += static_cast<double>(first.counts.flops);
  }
  std::vector<Engine> engines;
  for (const auto& of_type : flop)
    for (const Engine engine : enumerators<Engine>)
      if (of_type[engine] > 0 &&
          (!subject.has_many() || of_type[engine] == std::ranges::max(of_type)))
        engines.push_back(engine);
  return fastest_first(engines, bounds->roofs->datasheet_flop_per_s);
}

/// With more time on the wrong side, from layers on other engines, the sides mean nothing.
constexpr double most_on_wrong_side = 0.05;

/// The sides of the ridge, with their shares of a network's time.
std::vector<Region> sides_of(const Subject& subject, const Result& result, Engine engine,
                             const Plot& plot) {
  std::vector<Region> sides = sides_of_ridge(result.bounds, engine, plot);
  const double ridge = sides[1].corners.front().x;
  LayersTime memory;
  LayersTime wrong;
  LayersTime all;
  for (const LayerResult& row : result.layers) {
    const bool is_memory = row.point.bound == Bound::memory;
    all.add(row);
    if (is_memory) memory.add(row);
    if (is_on_roofline(row) && is_memory != (*row.point.intensity_flop_per_byte < ridge))
      wrong.add(row);
  }
  if (wrong.time_s > most_on_wrong_side * all.time_s) return {};
  if (subject.inputs.size() > 1 || plot.marks.size() == 1) return sides;
  sides[0].label += " " + percent(share_of(memory.time_s, all.time_s));
  sides[1].label += " " + percent(share_of(all.time_s - memory.time_s, all.time_s));
  return sides;
}

std::vector<Panel> plots_of(const Subject& subject, const std::vector<Mark>& marks) {
  Plot axes;
  axes.marks = marks;
  const auto roofs_of = [&](const Result* result) {
    return UsedRoofs{result->bounds, engines_of(subject, result->setting.gpu)};
  };
  fit_axes(axes, each_of(subject.results, roofs_of), !subject.has_many());
  // room for text
  if (marks.size() == 1) axes.x.high = std::max(axes.x.high, 12 * marks.front().at.x);
  std::vector<Panel> panels;
  panels.reserve(subject.gpus.size() + 1);
  for (std::size_t i = 0; i < subject.gpus.size(); ++i) {
    const Result& result = **std::ranges::find_if(
        subject.results, [&](const Result* each) { return subject.gpu_of(*each) == i; });
    const std::vector<Engine> engines = engines_of(subject, subject.gpus[i]);
    Plot plot;
    plot.x = axes.x;
    plot.y = axes.y;
    std::ranges::copy_if(marks, std::back_inserter(plot.marks),
                         [&](const Mark& mark) { return mark.plot == i; });
    plot.lines = subject.has_many() ? ceilings_of(result.bounds, engines, plot)
                                    : roofs_of_one(result.bounds, engines, plot);
    if (subject.types.size() == 1 && !engines.empty())
      plot.regions = sides_of(subject, result, engines.front(), plot);
    std::string heading = subject.gpus.size() > 1 ? subject.gpus[i] : "";
    if (subject.gpus.size() > 1 && subject.results.size() == subject.gpus.size())
      heading += ": " + duration(result.total.time_s);
    panels.push_back({std::move(heading), std::move(plot), {}});
  }
  return panels;
}

/// "2.460 ms expected, x2.12 its roofline; most of the time: dram 41.2%"
std::string time_sentence_of(const Result& result) {
  const Total& total = result.total;
  const auto most = std::ranges::max_element(total.part_s);
  if (total.measured_time_s || !(*most > 0)) return time_headline(result);
  const auto limiter = static_cast<Limiter>(most - total.part_s.begin());
  return fmt::format("{}; most of the time: {} {}", time_headline(result), words(limiter),
                     percent(share_of(*most, total.time_s)));
}

/// The time of each type, on each GPU.
std::string times_of_types(const Subject& subject) {
  std::string times;
  for (const Result* result : subject.results)
    times += fmt::format("{}{}{} {}", times.empty() ? "expected: " : ", ",
                         subject.gpus.size() > 1 ? result->setting.gpu + " " : "",
                         dtype_text(result->setting.dtype), duration(result->total.time_s));
  return times;
}

void set_title(Chart& chart, const Subject& subject) {
  const std::string gpus = fmt::format("{}", fmt::join(subject.gpus, ", "));
  if (subject.inputs.size() > 1) {
    chart.title = fmt::format("{} inputs of one layer", subject.inputs.size());
    chart.subtitle = "roofline of " + gpus;
    return;
  }
  if (subject.types.size() > 1) {
    chart.title = fmt::format("{} on {}", subject.inputs.front(), gpus);
    if (const auto& batch = subject.first().setting.batch)
      chart.title += fmt::format(", batch {}", *batch);
    chart.subtitle = times_of_types(subject) + '.';
  } else {
    chart.title = stack_title(subject.first(), !subject.has_many());
    if (!subject.has_many()) chart.subtitle = time_sentence_of(subject.first()) + '.';
  }
  chart.subtitle += above_roof_text(subject);
}

std::vector<Panel> panels_of(const Subject& subject, std::vector<Mark> marks) {
  std::vector<Note> notes;
  const auto row = std::ranges::find_if(
      subject.rows, [](const TableRow& each) { return is_on_roofline(each.first()); });
  if (marks.size() == 1) notes = annotate(marks.front(), row->first());
  if (marks.size() > 1) number_longest(marks, subject.has_many());
  // With several types, short layers' marks would hide each other.
  if (subject.types.size() > 1)
    std::erase_if(marks, [](const Mark& mark) { return mark.number == 0; });
  std::vector<Panel> panels = plots_of(subject, marks);
  for (Panel& panel : panels) {
    Plot& plot = std::get<Plot>(panel.body);
    if (marks.size() > 1 || plot.marks.empty()) continue;
    plot.notes = notes;
    const Mark& mark = plot.marks.front();
    plot.lines.push_back(foot_line(mark.at, plot.y, plain(mark.at.x) + " FLOP/B", mark.colour));
  }
  panels.back().legend = legend_of(marks, subject);
  if (marks.size() > 1) panels.push_back(numbered_panel(marks));
  return panels;
}

/// Marks that stand at the lower edge, with their share of the time.
std::string below_axis_text(const std::vector<Panel>& panels) {
  std::size_t below = 0;
  double share = 0;
  for (const Panel& panel : panels)
    if (const auto* plot = std::get_if<Plot>(&panel.body))
      for (const Mark& mark : plot->marks)
        if (mark.at.y < plot->y.low) {
          ++below;
          share += mark.share;
        }
  if (below == 0) return "";
  return fmt::format(" Arrow: below the picture ({} marks, {} of the time).", below,
                     percent(share));
}

Chart chart_of(const Subject& subject) {
  std::vector<Mark> marks = marks_of(subject);
  Chart chart;
  set_title(chart, subject);
  if (marks.size() > 1) chart.caption = "Area: share of the time; x4: layers alike. ";
  if (subject.types.size() > 1) chart.caption += "Drawn: the marks with numbers. ";
  chart.panels = panels_of(subject, std::move(marks));
  chart.caption += "FLOP/B: 1 MAC is 2 FLOP, each operand moves once." +
                   below_axis_text(chart.panels) + not_drawn_text(subject);
  chart.columns = std::min<std::size_t>(subject.gpus.size(), 2);
  if (const auto step = step_panel(subject.first()); step && !subject.has_many())
    chart.panels.insert(chart.panels.begin(), *step);
  return chart;
}

}  // namespace

std::vector<Chart> roofline_charts(const Report& report) {
  std::vector<Chart> charts;
  for (const ResultGroup& group : grouped<Result>(report.results, share_a_chart)) {
    std::vector<const Result*> results;
    std::vector<TableRow> rows;
    for (const std::size_t i : group) {
      results.push_back(&report.results[i]);
      std::ranges::copy(folded_rows(report, i), std::back_inserter(rows));
    }
    const Subject subject(report, std::move(results), std::move(rows));
    if (std::ranges::any_of(subject.gpus, [&](const std::string& gpu) {
          return !engines_of(subject, gpu).empty();
        }))
      charts.push_back(chart_of(subject));
  }
  if (charts.empty() && !report.results.empty())
    throw InputError("roofline chart: expected layers with FLOP, got none");
  return charts;
}

std::optional<Panel> layer_under_roofs(const Report& report, const TableRow& row) {
  if (!is_on_roofline(row.first()) || !has_kernel(row.first().layer)) return std::nullopt;
  const Subject subject(report, {&row.result}, {row});
  return panels_of(subject, marks_of(subject)).front();
}

}  // namespace roofline
