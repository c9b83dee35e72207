// Work in several settings: GPUs side by side, and throughput against the batch with the parts of
// an image's time.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/chart/makers.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

Bar bar_of(const std::string& work, const SettingRow& row) {
  Bar bar;
  bar.label = row.gpu;
  bar.note = fmt::format("{}, {}", duration(row.time_s), factor(row.speedup));
  if (row.batch && *row.batch > 0)
    bar.note += fmt::format(", {} images/s", plain(static_cast<double>(*row.batch) / row.time_s));
  std::string hover =
      fmt::format("{} on {}\nexpected: {}\nroofline: {}\nspeed-up: {}", work, row.gpu,
                  duration(row.time_s), duration(row.roofline_time_s), factor(row.speedup));
  if (row.energy_at_tdp_j) hover += "\nenergy at TDP: " + si(*row.energy_at_tdp_j, "J");
  bar.segments = {{row.time_s, Colour::blue, std::move(hover)}};
  bar.bound = row.roofline_time_s;
  bar.whisker = whisker_of(row.time_s, row.expected_uncertainty);
  return bar;
}

Panel panel_of(std::string heading, std::vector<Bar> shown) {
  Panel panel;
  panel.heading = std::move(heading);
  panel.legend = {{"expected", LegendItem::Sign::bar, Colour::blue},
                  {"roofline bound", LegendItem::Sign::thin_bar}};
  if (std::ranges::any_of(shown, [](const Bar& bar) { return bar.whisker.has_value(); }))
    panel.legend.push_back(whisker_legend());
  panel.body = bars_along_time(std::move(shown));
  return panel;
}

/// How the parts of a network look.
struct CurveLook {
  Colour colour;
  Symbol symbol;
};
constexpr std::array part_looks = std::to_array<CurveLook>({{Colour::grey, Symbol::cross},
                                                            {Colour::blue, Symbol::circle},
                                                            {Colour::vermillion, Symbol::square},
                                                            {Colour::purple, Symbol::triangle_down},
                                                            {Colour::green, Symbol::diamond},
                                                            {Colour::ink, Symbol::plus}});
static_assert(part_looks.size() == count_of<NetworkPart>);

/// Less of a batch's time is not drawn.
constexpr double least_part = 0.005;

/// The sweeps of one network, which share a chart.
using Sweeps = std::vector<const SettingsTable*>;

double images_per_s(const SettingRow& row) { return row.images_per_s.value_or(0); }
double batch_of(const SettingRow& row) { return static_cast<double>(*row.batch); }
/// 0 where the time is not known.
double throughput(const SettingRow& row, const std::optional<double>& seconds) {
  return seconds ? batch_of(row) / *seconds : 0;
}

/// A chart's curves, with room for all of them.
class Curves {
 public:
  explicit Curves(std::string y_title) {
    plot_.x = empty_axis("batch");
    plot_.y = empty_axis(std::move(y_title));
    plot_.is_curve = true;
  }

  /// The values that rows have above 0, in that style; false where there are none.
  template <class ValueOf>
  bool add_line(const SettingsTable& sweep, Line line, const ValueOf& value_of) {
    for (const SettingRow& row : sweep.rows)
      if (value_of(row) > 0) line.path.push_back({batch_of(row), value_of(row)});
    if (line.path.size() < 2) return !line.path.empty();
    for (const Position& at : line.path) include(at);
    plot_.lines.push_back(std::move(line));
    return true;
  }
  /// A mark for each of them.
  template <class ValueOf, class HoverOf>
  void add_marks(const SettingsTable& sweep, const CurveLook& look, const ValueOf& value_of,
                 const HoverOf& hover_of, bool with_whiskers = false) {
    for (const SettingRow& row : sweep.rows) {
      if (!(value_of(row) > 0)) continue;
      Mark mark;
      mark.at = {batch_of(row), value_of(row)};
      mark.colour = look.colour;
      mark.symbol = look.symbol;
      mark.hover = hover_of(row);
      if (with_whiskers) mark.whisker = whisker_of(mark.at.y, row.expected_uncertainty);
      include(mark.at);
      if (mark.whisker)
        for (const double end : {mark.whisker->low, mark.whisker->high}) include({mark.at.x, end});
      plot_.marks.push_back(std::move(mark));
    }
  }
  /// From the curves down to a word on the axis.
  void add_foot(const Position& at, std::string text) { feet_.push_back({at, std::move(text)}); }

  Plot plot(const Sweeps& sweeps) && {
    plot_.y.low /= 1.5;
    plot_.y.high *= 1.5;
    plot_.x.low /= 1.25;
    plot_.x.high *= 1.25;
    for (const SettingsTable* sweep : sweeps)
      for (const SettingRow& row : sweep->rows) {
        const double batch = batch_of(row);
        if (std::ranges::find(plot_.x.values, batch) == plot_.x.values.end())
          plot_.x.values.push_back(batch);
      }
    std::ranges::sort(plot_.x.values);
    for (Note& foot : feet_)
      plot_.lines.push_back(foot_line(foot.at, plot_.y, std::move(foot.text)));
    return std::move(plot_);
  }

 private:
  void include(const Position& at) {
    roofline::include(plot_.x, at.x);
    roofline::include(plot_.y, at.y);
  }

  Plot plot_;
  std::vector<Note> feet_;
};

std::string hover_of(const SettingsTable& sweep, const SettingRow& row) {
  std::string text = fmt::format("{} on {}, batch {}\n{} images/s\ntime: {}\nan image: {}",
                                 sweep.work, row.gpu, *row.batch, plain(images_per_s(row)),
                                 duration(row.time_s), duration(row.time_s / batch_of(row)));
  if (!row.fits.value_or(true)) text += "\nDOES NOT FIT into the GPU's memory";
  return text;
}

/// What the network is expected to do, and did where it was measured.
void add_images(Curves& curves, const SettingsTable& sweep, const CurveLook& look) {
  curves.add_line(sweep, {.colour = look.colour}, images_per_s);
  curves.add_marks(
      sweep, look, images_per_s, [&](const SettingRow& row) { return hover_of(sweep, row); }, true);
  curves.add_marks(
      sweep, {Colour::paper, Symbol::circle},
      [](const SettingRow& row) { return throughput(row, row.measured_time_s); },
      [](const SettingRow& row) {
        return fmt::format("measured: {}", duration(*row.measured_time_s));
      });
}

/// What the network could do; of many sweeps one line, in the sweep's colour.
void add_bounds(Curves& curves, const SettingsTable& sweep, bool alone, Colour colour) {
  const bool has_cached =
      curves.add_line(sweep,
                      {.style = alone ? LineStyle::solid : LineStyle::dashed,
                       .colour = colour,
                       .label = alone ? "what fits stays in cache" : "",
                       .label_at = Line::LabelAt::begin},
                      [](const SettingRow& row) { return throughput(row, row.cached_bound_s); });
  if (!alone && has_cached) return;
  curves.add_line(sweep,
                  {.style = LineStyle::dashed,
                   .colour = colour,
                   .label = alone ? "roofline: each layer from DRAM" : ""},
                  [](const SettingRow& row) { return throughput(row, row.roofline_time_s); });
}

/// The best batch, the one from which on it is nearly as good, and the first that does not fit.
void add_knee(Curves& curves, const SettingsTable& sweep) {
  bool has_unfit = false;
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    const SettingRow& row = sweep.rows[i];
    const Position at{batch_of(row), images_per_s(row)};
    if (i == sweep.best)
      curves.add_foot(
          at, fmt::format("best: batch {}, {} images/s", *row.batch, plain(images_per_s(row))));
    else if (i == sweep.near_best_from)
      curves.add_foot(at, fmt::format("batch {}: within 5% of the best", *row.batch));
    if (!row.fits.value_or(true) && !has_unfit)
      curves.add_foot(at, fmt::format("batch {} does not fit", *row.batch));
    has_unfit = has_unfit || !row.fits.value_or(true);
  }
}

std::string sweep_name(const SettingsTable& sweep) {
  const SettingRow& first = sweep.rows.front();
  return first.gpu + (first.dtype ? fmt::format(", {}", name_of(*first.dtype)) : "");
}

Panel throughput_panel(const Sweeps& sweeps) {
  using Sign = LegendItem::Sign;
  const bool alone = sweeps.size() == 1;
  Curves curves("images/s");
  Panel panel;
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    const CurveLook look{gpu_colour(i), static_cast<Symbol>(i % 6)};
    add_bounds(curves, *sweeps[i], alone, alone ? Colour::ink : look.colour);
    add_images(curves, *sweeps[i], look);
    panel.legend.push_back(
        {alone ? "expected" : sweep_name(*sweeps[i]), Sign::mark, look.colour, look.symbol});
  }
  if (alone) add_knee(curves, *sweeps.front());
  if (!alone)
    panel.legend.push_back(
        {"what fits stays in cache", Sign::line, Colour::ink, {}, LineStyle::dashed});
  const auto any_row = [&](const auto& holds) {
    return std::ranges::any_of(sweeps, [&](const SettingsTable* sweep) {
      return std::ranges::any_of(sweep->rows, holds);
    });
  };
  if (any_row([](const SettingRow& row) { return row.measured_time_s.has_value(); }))
    panel.legend.push_back({"measured", Sign::mark, Colour::paper});
  if (any_row([](const SettingRow& row) { return row.expected_uncertainty.has_value(); }))
    panel.legend.push_back(whisker_legend());
  panel.heading = "throughput";
  panel.body = std::move(curves).plot(sweeps);
  return panel;
}

Panel parts_panel(const SettingsTable& sweep) {
  Curves curves("time of an image, ms");
  Panel panel;
  for (const NetworkPart part : enumerators<NetworkPart>) {
    const CurveLook& look = part_looks[index_of(part)];
    const auto time_ms = [&](const SettingRow& row) {
      const bool is_drawn = row.part_s[part] > least_part * row.time_s;
      return is_drawn ? row.part_s[part] / batch_of(row) * 1e3 : 0;
    };
    if (!curves.add_line(sweep, {.colour = look.colour}, time_ms)) continue;
    curves.add_marks(sweep, look, time_ms, [&](const SettingRow& row) {
      return fmt::format("{} at batch {}: {} an image, {}", name_of(part), *row.batch,
                         duration(time_ms(row) / 1e3), percent(row.part_s[part] / row.time_s));
    });
    panel.legend.push_back(
        {std::string(name_of(part)), LegendItem::Sign::mark, look.colour, look.symbol});
  }
  panel.heading = "time of an image, by part";
  panel.body = std::move(curves).plot({&sweep});
  return panel;
}

/// Why points stand above what fits the cache allows; empty where none does.
std::string above_text(const Sweeps& sweeps) {
  for (const SettingsTable* sweep : sweeps)
    for (const SettingRow& row : sweep->rows)
      if (row.cached_bound_s && row.time_s < *row.cached_bound_s)
        return "Above \"what fits stays in cache\": Winograd or FFT need fewer MACs, or weights "
               "are found in cache that do not all fit.";
  return "";
}

Chart chart_of(const Sweeps& sweeps) {
  const SettingsTable& first = *sweeps.front();
  Chart chart;
  chart.title = first.work;
  if (sweeps.size() == 1) chart.title += " on " + sweep_name(first);
  chart.subtitle = "expected throughput against the batch";
  chart.panels.push_back(throughput_panel(sweeps));
  if (sweeps.size() == 1) chart.panels.push_back(parts_panel(first));
  chart.caption = above_text(sweeps);
  return chart;
}

}  // namespace

std::vector<Chart> compare_charts(const Report& report) {
  const std::vector<SettingsTable>& tables = report.comparisons;
  if (tables.empty() && !report.results.empty())
    throw InputError("compare chart: expected two GPUs or more, got one", Remedy::gpu);
  if (tables.empty()) return {};
  Chart chart;
  chart.title = "GPUs side by side";
  chart.subtitle = "expected time; x: speed-up over the first GPU";
  const auto heading_of = [](const SettingsTable& table) {
    const auto& batch = table.rows.front().batch;
    return table.work + (batch ? fmt::format(", batch {}", *batch) : "");
  };
  for (auto table = tables.begin(); table != tables.end();) {
    const std::string heading = heading_of(*table);
    std::vector<Bar> bars;  // of work in several data types those of all
    for (; table != tables.end() && heading_of(*table) == heading; ++table)
      for (const SettingRow& row : table->rows) bars.push_back(bar_of(table->work, row));
    if (bars.size() > most_bars) {
      chart.caption = fmt::format("Not drawn: the {} GPUs after these.", bars.size() - most_bars);
      bars.resize(most_bars);
    }
    chart.panels.push_back(panel_of(heading, std::move(bars)));
  }
  return {chart};
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
  for (const auto& sweeps : networks) charts.push_back(chart_of(sweeps));
  return charts;
}

}  // namespace roofline
