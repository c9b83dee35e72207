// Work in several settings: a bar each, or curves against the batch with the parts of an image's
// time.

#include <fmt/format.h>

#include <algorithm>

#include "report/chart/makers.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// What tells the row's setting from others of its table: "A100 SXM4 80GB, fp16, batch 8".
std::string setting_text(const SettingsTable& table, const SettingRow& row) {
  const auto differs = [&](auto member) {
    return std::ranges::any_of(table.rows,
                               [&](const SettingRow& each) { return each.*member != row.*member; });
  };
  std::vector<std::string> parts;
  if (differs(&SettingRow::gpu)) parts.push_back(row.gpu);
  if (differs(&SettingRow::dtype))
    parts.emplace_back(row.dtype ? name_of(*row.dtype) : "mixed types");
  if (differs(&SettingRow::batch))
    parts.push_back(row.batch ? fmt::format("batch {}", *row.batch) : "mixed batches");
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// By the time of an image where that is known.
Bar bar_of(const SettingsTable& table, const SettingRow& row) {
  const double time_s = row.time_per_image_s.value_or(row.time_s);
  const double images = row.time_per_image_s ? static_cast<double>(*row.batch) : 1;
  Bar bar;
  bar.label = setting_text(table, row);
  bar.note = fmt::format("{}, {}", duration(time_s), factor(row.speedup));
  if (row.images_per_s) bar.note += fmt::format(", {} images/s", plain(*row.images_per_s));
  if (!row.fits.value_or(true)) bar.note += ", DOES NOT FIT";
  std::string hover =
      fmt::format("{} on {}\nexpected: {}\nroofline: {}\nspeed-up: {}", table.work, row.gpu,
                  duration(row.time_s), duration(row.roofline_time_s), factor(row.speedup));
  if (row.energy_at_tdp_j) hover += "\nenergy at TDP: " + si(*row.energy_at_tdp_j, "J");
  bar.segments = {{time_s, Colour::blue, std::move(hover)}};
  bar.bound = row.roofline_time_s / images;
  if (row.measured_time_s) bar.measured = *row.measured_time_s / images;
  bar.whisker = whisker_of(time_s, row.expected_uncertainty);
  return bar;
}

Chart bars_of(const SettingsTable& table, const PointSelection& selection) {
  std::vector<Bar> bars;
  for (const auto& group : selection.groups)
    bars.push_back(bar_of(table, table.rows[group.front()]));
  Chart chart{.title = table.work,
              .subtitle = fmt::format("expected time{}; x: speed-up over the first",
                                      table.rows.front().time_per_image_s ? " of an image" : "")};
  if (bars.size() > most_bars) {
    chart.caption = fmt::format("Not drawn: {} after these.", bars.size() - most_bars);
    bars.resize(most_bars);
  }
  Panel panel;
  panel.legend = {{"expected", LegendItem::Sign::bar, Colour::blue}};
  add_bar_legend(panel.legend, bars);
  panel.body = std::move(bars);
  chart.panels.push_back(std::move(panel));
  return chart;
}

/// The sweeps of one network, which share a chart.
using Sweeps = std::vector<const SettingsTable*>;

/// Less of a batch's time is not drawn.
constexpr double least_part = 0.005;

double batch_of(const SettingRow& row) { return static_cast<double>(*row.batch); }
/// 0 where the time is not known.
double throughput(const SettingRow& row, const std::optional<double>& time_s) {
  return time_s.value_or(0) > 0 ? batch_of(row) / *time_s : 0;
}

Plot empty_curves(std::string y_title) {
  Plot plot;
  plot.x = empty_axis("batch");
  plot.y = empty_axis(std::move(y_title));
  plot.is_curve = true;
  return plot;
}

void include(Plot& plot, double batch, double value) {
  include(plot.x, batch);
  include(plot.y, value);
  if (std::ranges::find(plot.x.values, batch) == plot.x.values.end())
    plot.x.values.push_back(batch);
}

/// Through the values above 0 that rows have; false where there are none.
template <class ValueOf>
bool add_line(Plot& plot, const SettingsTable& sweep, Line line, const ValueOf& value_of) {
  for (const SettingRow& row : sweep.rows)
    if (const double value = value_of(row); value > 0) {
      line.path.push_back({batch_of(row), value});
      include(plot, batch_of(row), value);
    }
  const bool has_values = !line.path.empty();
  if (line.path.size() > 1) plot.lines.push_back(std::move(line));
  return has_values;
}

/// A mark that looks like `look` at each value above 0, with the range of expected ones.
template <class ValueOf, class HoverOf>
void add_marks(Plot& plot, const SettingsTable& sweep, const LegendItem& look,
               const ValueOf& value_of, const HoverOf& hover_of, bool with_whiskers = false) {
  for (const SettingRow& row : sweep.rows)
    if (const double value = value_of(row); value > 0) {
      Mark mark;
      mark.at = {batch_of(row), value};
      mark.colour = look.colour;
      mark.symbol = look.symbol;
      mark.hover = hover_of(row);
      include(plot, batch_of(row), value);
      if (with_whiskers) mark.whisker = whisker_of(value, row.expected_uncertainty);
      if (mark.whisker)
        for (const double end : {mark.whisker->low, mark.whisker->high}) include(plot.y, end);
      plot.marks.push_back(std::move(mark));
    }
}

/// Room around the curves.
void finish_axes(Plot& plot) {
  plot.x.low /= 1.25;
  plot.x.high *= 1.25;
  plot.y.low /= 1.5;
  plot.y.high *= 1.5;
  std::ranges::sort(plot.x.values);
}

std::string hover_of(const SettingsTable& sweep, const SettingRow& row) {
  std::string text =
      fmt::format("{} on {}, batch {}\n{} images/s\ntime: {}\nan image: {}", sweep.work, row.gpu,
                  *row.batch, plain(throughput(row, row.time_s)), duration(row.time_s),
                  duration(row.time_s / batch_of(row)));
  if (!row.fits.value_or(true)) text += "\nDOES NOT FIT into the GPU's memory";
  return text;
}

/// What the network is expected to do, what it could do, and what it did where it was measured.
void add_images(Plot& plot, const SettingsTable& sweep, const LegendItem& look) {
  add_line(plot, sweep, {.style = LineStyle::dashed, .colour = look.colour},
           [](const SettingRow& row) { return throughput(row, row.roofline_time_s); });
  const auto expected = [](const SettingRow& row) { return throughput(row, row.time_s); };
  add_line(plot, sweep, {.colour = look.colour}, expected);
  add_marks(
      plot, sweep, look, expected, [&](const SettingRow& row) { return hover_of(sweep, row); },
      true);
  add_marks(
      plot, sweep, {"measured", LegendItem::Sign::mark, Colour::paper},
      [](const SettingRow& row) { return throughput(row, row.measured_time_s); },
      [](const SettingRow& row) { return "measured: " + duration(row.measured_time_s); });
}

/// The best batch, the one from which on it is nearly as good, and the first that does not fit.
void add_knee(Plot& plot, const SettingsTable& sweep) {
  const auto add = [&](const SettingRow& row, std::string text) {
    plot.lines.push_back(
        foot_line({batch_of(row), throughput(row, row.time_s)}, plot.y, std::move(text)));
  };
  if (sweep.best) {
    const SettingRow& best = sweep.rows[*sweep.best];
    add(best, fmt::format("best: batch {}, {} images/s", *best.batch,
                          plain(throughput(best, best.time_s))));
  }
  if (sweep.near_best_from && sweep.near_best_from != sweep.best) {
    const SettingRow& near = sweep.rows[*sweep.near_best_from];
    add(near, fmt::format("batch {}: within 5% of the best", *near.batch));
  }
  const auto unfit = std::ranges::find_if(
      sweep.rows, [](const SettingRow& row) { return !row.fits.value_or(true); });
  if (unfit != sweep.rows.end()) add(*unfit, fmt::format("batch {} does not fit", *unfit->batch));
}

std::string sweep_name(const SettingsTable& sweep) {
  const SettingRow& first = sweep.rows.front();
  return first.gpu + (first.dtype ? fmt::format(", {}", name_of(*first.dtype)) : "");
}

Panel throughput_panel(const Sweeps& sweeps) {
  using Sign = LegendItem::Sign;
  const bool alone = sweeps.size() == 1;
  Plot plot = empty_curves("images/s");
  Panel panel;
  panel.heading = "throughput";
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    panel.legend.push_back({alone ? "expected" : sweep_name(*sweeps[i]), Sign::mark, gpu_colour(i),
                            static_cast<Symbol>(i % 6)});
    add_images(plot, *sweeps[i], panel.legend.back());
  }
  panel.legend.push_back({"roofline bound", Sign::line, Colour::ink, {}, LineStyle::dashed});
  if (std::ranges::find(plot.marks, Colour::paper, &Mark::colour) != plot.marks.end())
    panel.legend.push_back({"measured", Sign::mark, Colour::paper});
  add_mark_legend(panel.legend, plot.marks);
  finish_axes(plot);
  if (alone) add_knee(plot, *sweeps.front());
  panel.body = std::move(plot);
  return panel;
}

Panel parts_panel(const SettingsTable& sweep) {
  Plot plot = empty_curves("time of an image, ms");
  Panel panel;
  panel.heading = "time of an image, by part";
  for (const NetworkPart part : enumerators<NetworkPart>) {
    const std::size_t i = index_of(part);
    const LegendItem look{std::string(name_of(part)), LegendItem::Sign::mark, gpu_colour(i),
                          static_cast<Symbol>(i)};
    const auto time_ms = [&](const SettingRow& row) {
      const bool is_drawn = row.part_s[part] > least_part * row.time_s;
      return is_drawn ? row.part_s[part] / batch_of(row) * 1e3 : 0;
    };
    if (!add_line(plot, sweep, {.colour = look.colour}, time_ms)) continue;
    add_marks(plot, sweep, look, time_ms, [&](const SettingRow& row) {
      return fmt::format("{} at batch {}: {} an image, {}", name_of(part), *row.batch,
                         duration(time_ms(row) / 1e3), percent(row.part_s[part] / row.time_s));
    });
    panel.legend.push_back(look);
  }
  finish_axes(plot);
  panel.body = std::move(plot);
  return panel;
}

Chart curves_of(const Sweeps& sweeps) {
  const SettingsTable& first = *sweeps.front();
  Chart chart;
  chart.title = first.work;
  if (sweeps.size() == 1) chart.title += " on " + sweep_name(first);
  chart.subtitle = "expected throughput against the batch";
  chart.panels.push_back(throughput_panel(sweeps));
  if (sweeps.size() == 1) chart.panels.push_back(parts_panel(first));
  chart.caption = "Above the roofline: operands in L2, or MACs saved (Winograd, FFT).";
  return chart;
}

}  // namespace

std::vector<Chart> compare_charts(const Report& report) {
  if (report.points.empty() && !report.results.empty())
    throw InputError("compare chart: expected two GPUs or more, got one", Remedy::gpu);
  std::vector<Chart> charts;
  for (std::size_t i = 0; i < report.points.size(); ++i)
    charts.push_back(bars_of(report.points[i], report.point_selections[i]));
  return charts;
}

std::vector<Chart> sweep_charts(const Report& report) {
  if (report.sweeps.empty() && !report.results.empty())
    throw InputError("sweep chart: expected two batches or more, got one", Remedy::batches);
  std::vector<Sweeps> networks;
  for (const SettingsTable& sweep : report.sweeps) {
    const auto same = std::ranges::find_if(
        networks, [&](const auto& each) { return each.front()->work == sweep.work; });
    if (same == networks.end())
      networks.push_back({&sweep});
    else
      same->push_back(&sweep);
  }
  std::vector<Chart> charts;
  charts.reserve(networks.size());
  for (const auto& sweeps : networks) charts.push_back(curves_of(sweeps));
  return charts;
}

}  // namespace roofline
