// Throughput against the batch, and the parts of an image's time.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/chart/layers.hpp"
#include "report/chart/makers.hpp"
#include "report/chart/roofs.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// How the parts of sweep_parts look.
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
static_assert(part_looks.size() == sweep_parts.size());

/// Less of a batch's time is not drawn.
constexpr double least_part = 0.005;

double throughput(const SweepRow& row, double seconds) {
  return static_cast<double>(row.batch) / seconds;
}

Position spot_of(const SweepRow& row, double value) {
  return {static_cast<double>(row.batch), value};
}

/// A chart's curves, with room for all of them.
class Curves {
 public:
  explicit Curves(std::string y_title) {
    plot_.x = {"batch", "", true, 1e300, 0};
    plot_.y = {std::move(y_title), "", true, 1e300, 0};
    plot_.is_curve = true;
  }

  void add_line(Line line) {
    if (line.path.size() < 2) return;
    for (const Position& at : line.path) include(at);
    plot_.lines.push_back(std::move(line));
  }
  void add_mark(const Position& at, const CurveLook& look, std::string hover,
                const std::optional<Whisker>& whisker = {}) {
    include(at);
    if (whisker)
      for (const double end : {whisker->low, whisker->high}) include({at.x, end});
    Mark mark;
    mark.at = at;
    mark.colour = look.colour;
    mark.symbol = look.symbol;
    mark.hover = std::move(hover);
    mark.whisker = whisker;
    plot_.marks.push_back(std::move(mark));
  }
  /// From the curves down to a word on the axis.
  void add_foot(const Position& at, std::string text) { feet_.push_back({at, std::move(text)}); }

  Plot plot(const std::vector<const Sweep*>& sweeps) && {
    plot_.y.low /= 1.5;
    plot_.y.high *= 1.5;
    plot_.x.low /= 1.25;
    plot_.x.high *= 1.25;
    for (const Sweep* sweep : sweeps)
      for (const SweepRow& row : sweep->rows) {
        const auto batch = static_cast<double>(row.batch);
        if (std::find(plot_.x.values.begin(), plot_.x.values.end(), batch) == plot_.x.values.end())
          plot_.x.values.push_back(batch);
      }
    std::sort(plot_.x.values.begin(), plot_.x.values.end());
    for (const Note& foot : feet_) {
      Line line;
      line.path = {foot.at, {foot.at.x, plot_.y.low}};
      line.style = LineStyle::dotted;
      line.label = foot.text;
      line.label_at = Line::LabelAt::foot;
      plot_.lines.push_back(std::move(line));
    }
    return std::move(plot_);
  }

 private:
  void include(const Position& at) {
    plot_.x.low = std::min(plot_.x.low, at.x);
    plot_.x.high = std::max(plot_.x.high, at.x);
    plot_.y.low = std::min(plot_.y.low, at.y);
    plot_.y.high = std::max(plot_.y.high, at.y);
  }

  Plot plot_;
  std::vector<Note> feet_;
};

/// Batches with the value that `value_of` finds.
template <typename ValueOf>
Line curve(const Sweep& sweep, ValueOf value_of) {
  Line line;
  for (const SweepRow& row : sweep.rows)
    if (const std::optional<double> value = value_of(row); value && *value > 0)
      line.path.push_back(spot_of(row, *value));
  return line;
}

std::string hover_of(const Sweep& sweep, const SweepRow& row) {
  std::string text = fmt::format("{} on {}, batch {}\n{} images/s\ntime: {}\nan image: {}",
                                 sweep.network, sweep.gpu, row.batch, plain(row.images_per_s),
                                 duration(row.total_s), duration(row.time_per_image_s));
  if (!row.fits.value_or(true)) text += "\nDOES NOT FIT into the GPU's memory";
  return text;
}

void add_expected(Curves& curves, const Sweep& sweep, const CurveLook& look) {
  Line line = curve(sweep, [](const SweepRow& row) { return std::optional(row.images_per_s); });
  line.colour = look.colour;
  curves.add_line(std::move(line));
  for (const SweepRow& row : sweep.rows)
    if (row.images_per_s > 0)
      curves.add_mark(spot_of(row, row.images_per_s), look, hover_of(sweep, row),
                      whisker_of(row.images_per_s, row.expected_uncertainty));
}

constexpr CurveLook measured_look{Colour::paper, Symbol::circle};

/// What the network could do; of many sweeps one line, in the sweep's colour.
void add_bounds(Curves& curves, const Sweep& sweep, bool alone, Colour colour) {
  Line cached = curve(sweep, [](const SweepRow& row) -> std::optional<double> {
    if (!row.cached_bound_s) return std::nullopt;
    return throughput(row, *row.cached_bound_s);
  });
  cached.colour = colour;
  cached.style = alone ? LineStyle::solid : LineStyle::dashed;
  if (alone) cached.label = "what fits stays in cache";
  cached.label_at = Line::LabelAt::begin;
  const bool has_cached = !cached.path.empty();
  curves.add_line(std::move(cached));
  if (!alone && has_cached) return;
  Line roofline = curve(sweep, [](const SweepRow& row) {
    return std::optional(throughput(row, row.roofline_time_s));
  });
  roofline.colour = colour;
  roofline.style = LineStyle::dashed;
  if (alone) roofline.label = "roofline: each layer from DRAM";
  curves.add_line(std::move(roofline));
}

void add_measured(Curves& curves, const Sweep& sweep) {
  for (const SweepRow& row : sweep.rows)
    if (row.measured_time_s)
      curves.add_mark(spot_of(row, throughput(row, *row.measured_time_s)), measured_look,
                      fmt::format("measured: {}", duration(*row.measured_time_s)));
}

/// The best batch, the one from which on it is nearly as good, and the first that does not fit.
void add_knee(Curves& curves, const Sweep& sweep) {
  bool has_unfit = false;
  for (const SweepRow& row : sweep.rows) {
    const Position at = spot_of(row, row.images_per_s);
    if (row.batch == sweep.best_batch)
      curves.add_foot(
          at, fmt::format("best: batch {}, {} images/s", row.batch, plain(row.images_per_s)));
    else if (row.batch == sweep.near_best_from)
      curves.add_foot(at, fmt::format("batch {}: within 5% of the best", row.batch));
    if (!row.fits.value_or(true) && !has_unfit)
      curves.add_foot(at, fmt::format("batch {} does not fit", row.batch));
    has_unfit = has_unfit || !row.fits.value_or(true);
  }
}

std::string sweep_name(const Sweep& sweep) {
  return sweep.gpu + (sweep.dtype ? fmt::format(", {}", name_of(*sweep.dtype)) : "");
}

Panel throughput_panel(const std::vector<const Sweep*>& sweeps) {
  using Sign = LegendItem::Sign;
  const bool alone = sweeps.size() == 1;
  Curves curves("images/s");
  Panel panel;
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    const CurveLook look{gpu_colour(i), static_cast<Symbol>(i % 6)};
    add_bounds(curves, *sweeps[i], alone, alone ? Colour::ink : look.colour);
    add_expected(curves, *sweeps[i], look);
    add_measured(curves, *sweeps[i]);
    panel.legend.push_back(
        {alone ? "expected" : sweep_name(*sweeps[i]), Sign::mark, look.colour, look.symbol, {}});
  }
  if (alone) add_knee(curves, *sweeps.front());
  if (!alone)
    panel.legend.push_back(
        {"what fits stays in cache", Sign::line, Colour::ink, {}, LineStyle::dashed});
  const auto has_measured = [](const Sweep* sweep) {
    return std::any_of(sweep->rows.begin(), sweep->rows.end(),
                       [](const SweepRow& row) { return row.measured_time_s.has_value(); });
  };
  if (std::any_of(sweeps.begin(), sweeps.end(), has_measured))
    panel.legend.push_back({"measured", Sign::mark, Colour::paper, Symbol::circle, {}});
  const auto is_sure = [](const Sweep* sweep) {
    return std::any_of(sweep->rows.begin(), sweep->rows.end(),
                       [](const SweepRow& row) { return row.expected_uncertainty.has_value(); });
  };
  if (std::any_of(sweeps.begin(), sweeps.end(), is_sure)) panel.legend.push_back(whisker_legend());
  panel.heading = "throughput";
  panel.body = std::move(curves).plot(sweeps);
  return panel;
}

Panel parts_panel(const Sweep& sweep) {
  Curves curves("time of an image, ms");
  Panel panel;
  for (std::size_t i = 0; i < sweep_parts.size(); ++i) {
    const auto time_ms = [&](const SweepRow& row) {
      return row.*sweep_parts[i].seconds / static_cast<double>(row.batch) * 1e3;
    };
    Line line = curve(sweep, [&](const SweepRow& row) -> std::optional<double> {
      if (row.*sweep_parts[i].seconds <= least_part * row.total_s) return std::nullopt;
      return time_ms(row);
    });
    if (line.path.empty()) continue;
    line.colour = part_looks[i].colour;
    curves.add_line(std::move(line));
    for (const SweepRow& row : sweep.rows)
      if (const double seconds = row.*sweep_parts[i].seconds; seconds > least_part * row.total_s)
        curves.add_mark(
            spot_of(row, time_ms(row)), part_looks[i],
            fmt::format("{} at batch {}: {} an image, {}", sweep_parts[i].name, row.batch,
                        duration(time_ms(row) / 1e3), percent(seconds / row.total_s)));
    panel.legend.push_back({std::string(sweep_parts[i].name),
                            LegendItem::Sign::mark,
                            part_looks[i].colour,
                            part_looks[i].symbol,
                            {}});
  }
  panel.heading = "time of an image, by part";
  panel.body = std::move(curves).plot({&sweep});
  return panel;
}

/// Why points stand above what fits the cache allows; empty where none does.
std::string above_text(const std::vector<const Sweep*>& sweeps) {
  for (const Sweep* sweep : sweeps)
    for (const SweepRow& row : sweep->rows)
      if (row.cached_bound_s && row.total_s < *row.cached_bound_s)
        return "Above \"what fits stays in cache\": Winograd or FFT need fewer MACs, or weights "
               "are "
               "found in cache that do not all fit.";
  return "";
}

Chart chart_of(const std::vector<const Sweep*>& sweeps) {
  const Sweep& first = *sweeps.front();
  Chart chart;
  chart.title = first.network;
  if (sweeps.size() == 1) chart.title += " on " + sweep_name(first);
  chart.subtitle = "expected throughput against the batch";
  chart.panels.push_back(throughput_panel(sweeps));
  if (sweeps.size() == 1) chart.panels.push_back(parts_panel(first));
  if (const std::string text = above_text(sweeps); !text.empty()) chart.caption = {text};
  return chart;
}

}  // namespace

std::vector<Chart> sweep_charts(const Report& report) {
  if (report.sweeps.empty() && !report.results.empty())
    throw InputError("sweep chart: expected two batches or more, got one", Remedy::batches);
  std::vector<std::vector<const Sweep*>> networks;
  for (const Sweep& sweep : report.sweeps) {
    const auto same = std::find_if(networks.begin(), networks.end(), [&](const auto& each) {
      return each.front()->network == sweep.network;
    });
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
