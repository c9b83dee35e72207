// Work in several settings: bars, or curves over the batch with the parts of an image's time; and
// what changed between two results, the largest difference first.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/chart/makers.hpp"
#include "report/sections.hpp"
#include "results/changes.hpp"
#include "results/report.hpp"

namespace roofline {
namespace {

/// More bars are unreadable.
constexpr std::size_t most_bars = 40;

/// A bar's length. It grows or falls with the time, so the time's range applies to it.
double quantity_of(const SettingRow& row, SortBy by) {
  return by == SortBy::time ? rate_of(row).value_or(row.time_s)
                            : ranked_quantity(row, by).value_or(0);
}

Bar bar_of(const SettingsTable& table, const SettingRow& row, SortBy by,
           const std::string& currency) {
  const double length = quantity_of(row, by);
  const bool is_first = &row == &table.rows.front();
  const Colour colour = is_first ? Colour::blue : row.tied ? Colour::sky : Colour::grey;
  Bar bar;
  bar.label = point_name(table, row);
  bar.note = quantity_text(row, by, currency);
  if (!row.fits.value_or(true)) bar.note += ", DOES NOT FIT";
  bar.segments = {{length, colour, bar.label + ": " + duration(row.time_s)}};
  if (row.measured_time_s) {
    const double ratio = *row.measured_time_s / row.time_s;
    const bool is_rate = by == SortBy::time && rate_of(row);
    bar.measured = is_rate ? length / ratio : length * ratio;
  }
  bar.whisker = whisker_of(length, row.expected_uncertainty);
  return bar;
}

std::string cost_heading(const SettingsTable& table) {
  return fmt::format("cost of a million {}", pieces_of(table.rows.front()));
}

/// The cost of the same rows, the cheapest dark; nullopt where none has a price.
std::optional<Panel> cost_panel(const SettingsTable& table,
                                const std::vector<const SettingRow*>& rows,
                                const std::string& currency) {
  std::vector<Bar> bars;
  for (const SettingRow* row : rows) {
    const auto cost = ranked_quantity(*row, SortBy::cost);
    if (!cost) continue;
    const bool is_cheapest = table.cheapest && row == &table.rows[*table.cheapest];
    bars.push_back(plain_bar(point_name(table, *row), *cost,
                             quantity_text(*row, SortBy::cost, currency),
                             is_cheapest ? Colour::blue : Colour::grey));
  }
  if (bars.empty()) return std::nullopt;
  return Panel{cost_heading(table), Bars{std::move(bars), ""}, {}};
}

Chart bars_of(const Shown<SettingsTable>& table, const std::string& currency) {
  const SortBy by = table.ranked_by.value_or(SortBy::time);
  std::vector<const SettingRow*> rows;
  for (const auto& group : table.selection.groups)
    if (const SettingRow& row = table.rows[group.front()]; quantity_of(row, by) > 0)
      rows.push_back(&row);
  Chart chart{.title = settings_title({&table, 1}), .subtitle = "expected"};
  if (rows.empty()) return chart;
  if (table.ranked_by) chart.subtitle = ranking_answer(table, currency);
  if (rows.size() > most_bars) rows.resize(most_bars);
  if (const std::size_t all = table.selection.groups.size(); all > rows.size())
    chart.caption = fmt::format("Not drawn: {} of {}.", all - rows.size(), all);
  std::vector<Bar> bars =
      each_of(rows, [&](const SettingRow* row) { return bar_of(table, *row, by, currency); });
  std::vector<LegendItem> legend{
      {"first", LegendItem::Sign::bar, Colour::blue},
      {"tied with it: the ranges overlap", LegendItem::Sign::bar, Colour::sky},
      {"behind", LegendItem::Sign::bar, Colour::grey}};
  add_bar_legend(legend, bars);
  const bool is_time = by == SortBy::time && !rate_of(table.rows.front());
  std::string heading = by == SortBy::cost ? cost_heading(table)
                        : is_time          ? "expected time"
                                  : fmt::format("expected {}/s", pieces_of(table.rows.front()));
  chart.panels.push_back(
      {std::move(heading), Bars{std::move(bars), is_time ? "s" : ""}, std::move(legend)});
  if (auto cost = cost_panel(table, rows, currency); cost && by != SortBy::cost)
    chart.panels.push_back(std::move(*cost));
  return chart;
}

using Sweeps = std::vector<const SettingsTable*>;

/// Room for names behind the last batch, as a share of the axis.
constexpr double name_room = 0.2;

double batch_of(const SettingRow& row) { return static_cast<double>(*row.batch); }
/// Images or tokens a second; 0 if the time is unknown.
double throughput(const SettingRow& row, const std::optional<double>& time_s) {
  const double pieces = rate_of(row).value_or(0) * row.time_s;
  return time_s.value_or(0) > 0 ? pieces / *time_s : 0;
}

struct Curve {
  std::string name;                   ///< at the curve's end
  Colour colour = Colour::ink;        ///< paper: marks without a line
  std::optional<Symbol> symbol = {};  ///< nullopt: a dashed line without marks
  bool has_ranges = false;            ///< of expected times
};

/// Leaves out values of 0.
template <class ValueOf>
void add_curve(Plot& plot, const SettingsTable& sweep, const Curve& curve,
               const ValueOf& value_of) {
  Line line{.style = curve.symbol ? LineStyle::solid : LineStyle::dashed, .colour = curve.colour};
  for (const SettingRow& row : sweep.rows) {
    const Position at{batch_of(row), value_of(row)};
    if (!(at.y > 0)) continue;
    line.path.push_back(at);
    include(plot.x, at.x);
    include(plot.y, at.y);
    add_new(plot.x.values, at.x);
    if (!curve.symbol) continue;
    Mark mark;
    mark.at = at;
    mark.colour = curve.colour;
    mark.symbol = *curve.symbol;
    mark.hover = fmt::format("{}, batch {}: {}{}", curve.name, *row.batch, plain(at.y),
                             row.fits.value_or(true) ? "" : ", DOES NOT FIT");
    if (curve.has_ranges) mark.whisker = whisker_of(at.y, row.expected_uncertainty);
    if (mark.whisker)
      for (const double end : {mark.whisker->low, mark.whisker->high}) include(plot.y, end);
    plot.marks.push_back(std::move(mark));
  }
  if (line.path.empty()) return;
  plot.notes.push_back({line.path.back(), curve.name});
  if (line.path.size() > 1 && curve.colour != Colour::paper) plot.lines.push_back(std::move(line));
}

void finish_axes(Plot& plot) {
  const double span = plot.x.high / plot.x.low;
  plot.x.low /= 1.25;
  plot.x.high *= std::max(1.25, std::pow(span, name_room));
  plot.y.low /= 1.5;
  plot.y.high *= 1.5;
  std::ranges::sort(plot.x.values);
}

/// Marks the best batch, the first that is nearly as good, and the first that does not fit.
void add_knee(Plot& plot, const SettingsTable& sweep) {
  const auto add = [&](const SettingRow& row, std::string text) {
    plot.lines.push_back(
        foot_line({batch_of(row), throughput(row, row.time_s)}, plot.y, std::move(text)));
  };
  if (sweep.best) {
    const SettingRow& best = sweep.rows[*sweep.best];
    add(best, fmt::format("best: batch {}, {} {}/s", *best.batch,
                          plain(throughput(best, best.time_s)), pieces_of(best)));
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
  return first.gpu + (first.framework ? ", by " + framework_text(first) : "") +
         (first.dtype ? fmt::format(", {}", name_of(*first.dtype)) : "");
}

Panel throughput_panel(const Sweeps& sweeps) {
  const bool alone = sweeps.size() == 1;
  Plot plot;
  plot.x = empty_axis("batch");
  plot.y = empty_axis(fmt::format("{}/s", pieces_of(sweeps.front()->rows.front())));
  plot.is_curve = true;
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    const SettingsTable& sweep = *sweeps[i];
    const Colour colour = series_colour(i);
    add_curve(plot, sweep, {"roofline", colour},
              [](const SettingRow& row) { return throughput(row, row.roofline_time_s); });
    add_curve(plot, sweep,
              {alone ? "expected" : sweep_name(sweep), colour, static_cast<Symbol>(i % 6), true},
              [](const SettingRow& row) { return throughput(row, row.time_s); });
    add_curve(plot, sweep, {"measured", Colour::paper, Symbol::circle},
              [](const SettingRow& row) { return throughput(row, row.measured_time_s); });
  }
  finish_axes(plot);
  if (alone) add_knee(plot, *sweeps.front());
  std::vector<LegendItem> legend;
  add_mark_legend(legend, plot.marks);
  return {"throughput", std::move(plot), std::move(legend)};
}

Chart curves_of(const Sweeps& sweeps) {
  const SettingsTable& first = *sweeps.front();
  Chart chart;
  chart.title = first.work;
  if (sweeps.size() == 1) chart.title += " on " + sweep_name(first);
  chart.subtitle = "expected throughput against the batch";
  chart.panels.push_back(throughput_panel(sweeps));
  chart.caption = "Above the roofline: operands in L2, or MACs saved (Winograd, FFT).";
  return chart;
}

constexpr std::size_t most_changed_bars = 14;

/// The largest first, the rest together.
std::vector<Bar> bars_of(const Changes& changes) {
  std::vector<std::pair<std::string, double>> all;
  const auto add = [&](std::string_view what, const ChangeGroup& group) {
    for (const AlikeChanges& row : folded_changes(changes, group))
      if (row.change_s() != 0)
        all.emplace_back(fmt::format("{}: {}", what, printable(name_text(row))), row.change_s());
  };
  add("went", changes.gone);
  add("came", changes.come);
  add("changed", changes.changed);
  std::ranges::stable_sort(all, std::greater(),
                           [](const auto& each) { return std::fabs(each.second); });
  if (all.size() > most_changed_bars) {
    double rest_s = 0;
    for (std::size_t i = most_changed_bars; i < all.size(); ++i) rest_s += all[i].second;
    const std::string label = fmt::format("{} smaller ones", all.size() - most_changed_bars);
    all.resize(most_changed_bars);
    all.emplace_back(label, rest_s);
  }
  return each_of(all, [](const auto& change) {
    const auto& [label, change_s] = change;
    const Colour colour = change_s < 0 ? Colour::blue : Colour::vermillion;
    return plain_bar(label, change_s, change_text(change_s), colour, label);
  });
}

}  // namespace

std::vector<Chart> compare_charts(const Report& report) {
  std::vector<Chart> charts;
  for (const Shown<SettingsTable>& table : report.points)
    charts.push_back(bars_of(table, report.currency));
  return charts;
}

std::vector<Chart> sweep_charts(const Report& report) {
  if (report.sweeps.empty() && !report.results.empty())
    throw InputError("sweep chart: expected two batches or more, got one", Remedy::batches);
  const auto of_one_network = [](const SettingsTable& a, const SettingsTable& b) {
    return a.work == b.work;
  };
  std::vector<Chart> charts;
  for (const auto& group : grouped<SettingsTable>(report.sweeps, of_one_network)) {
    charts.push_back(curves_of(each_of(group, [&](std::size_t i) { return &report.sweeps[i]; })));
  }
  return charts;
}

Chart changes_chart(const Changes& all) {
  const Changes changes = shortened_names(all);
  const double before_s = changes.before_run.work_s;
  const double after_s = changes.after_run.work_s;
  Chart chart{.title = fmt::format("{} -> {} {}: {}", duration(before_s), duration(after_s),
                                   name_of(changes.times), change_text(after_s - before_s))};
  if (before_s > 0) chart.title += ", " + ratio_text(after_s / before_s);
  chart.subtitle = fmt::format("before: {}\nafter: {}", changes.before, changes.after);
  Bars bars{bars_of(changes)};
  chart.caption = "x4: layers alike, together.";
  std::vector<LegendItem> legend;
  using Sign = LegendItem::Sign;
  for (const LegendItem& item : {LegendItem{"less time", Sign::bar, Colour::blue},
                                 LegendItem{"more time", Sign::bar, Colour::vermillion}})
    if (std::ranges::any_of(
            bars.rows, [&](const Bar& bar) { return bar.segments.front().colour == item.colour; }))
      legend.push_back(item);
  chart.panels.push_back({"", std::move(bars), std::move(legend)});
  return chart;
}

}  // namespace roofline
