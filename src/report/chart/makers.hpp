#pragma once

// What makers of charts share: which layers are marked and how bars are put together, the roofs of
// GPUs, and the makers, one a kind of chart.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/chart/chart.hpp"
#include "report/rows.hpp"

namespace roofline {

/// The layer's name as tables show it, with its pass and how many are alike.
std::string row_name(const TableRow& row);
/// Every field that tables show, a line each.
std::string row_hover(const TableRow& row);
/// The range around an expected time or rate that holds 68 of 100 measured ones.
std::optional<Whisker> whisker_of(double expected, const std::optional<Uncertainty>& uncertainty);
/// What all of the row's layers take.
double row_time_s(const TableRow& row);
/// The result's rows as a terminal's table folds and chooses them; in the network's order unless
/// the view sorts.
std::vector<TableRow> folded_rows(const Report& report, std::size_t result);

/// Numbers the marks that take longest; others go without what is drawn beside a mark.
void number_longest(std::vector<Mark>& marks, bool of_many);
/// What the numbers stand for.
Panel numbered_panel(std::vector<Mark> marks);

/// What the thin bars, ticks and lines by the bars are.
void add_bar_legend(std::vector<LegendItem>& legend, const std::vector<Bar>& bars);
/// What the dots, small marks and lines beside them are.
void add_mark_legend(std::vector<LegendItem>& legend, const std::vector<Mark>& marks);

// Roofs as lines of a chart.

/// Each of the engines once, those with the highest peaks first.
std::vector<Engine> fastest_first(const std::vector<Engine>& engines, const EngineRates& peaks);
/// So that the axis holds the value; one that holds nothing yet begins as an empty_axis.
void include(Axis& axis, double value);
Axis empty_axis(std::string title, std::string unit = "");
/// A dotted line from a place down to the x axis, with a word at its foot.
Line foot_line(const Position& from, const Axis& y, std::string label, Colour colour = Colour::ink);
/// The roofs of a GPU and the engines whose roofs are drawn.
struct UsedRoofs {
  const Bounds& bounds;
  std::vector<Engine> engines;
};
/// Axes with room for the plot's marks, their labels, the ridges and flat roofs, and those at L2
/// where asked for.
void fit_axes(Plot& plot, const std::vector<UsedRoofs>& roofs, bool with_l2);

/// Device memory, L2 and the engines of one GPU, datasheet and practical or sustained, within the
/// axes.
std::vector<Line> roofs_of_one(const Bounds& bounds, const std::vector<Engine>& engines,
                               const Plot& plot);
/// What the roof of device memory, or that of L2, allows an engine at that intensity.
double roof_y(const Bounds& bounds, Engine engine, double intensity_flop_per_byte, bool at_l2);

/// Device memory and the engines by the ceilings that bounds are under, and nothing else.
std::vector<Line> ceilings_of(const Bounds& bounds, const std::vector<Engine>& engines,
                              const Plot& plot);
/// Where memory bounds the engine, and where compute does.
std::vector<Region> sides_of_ridge(const Bounds& bounds, Engine engine, const Plot& plot);

/// The colour of the n-th of several GPUs or types.
Colour series_colour(std::size_t index);

/// "2.421 ms expected, x2.07 its roofline"; of a recording its step.
std::string time_headline(const Result& result);
/// What a recorded step is made of, the idle time by its causes first.
std::optional<Panel> step_panel(const Result& result);
/// The row's mark alone under its roofs; none without FLOP.
std::optional<Panel> layer_under_roofs(const Report& report, const TableRow& row);
/// The parts of the row's expected time as one bar.
Panel parts_panel(const TableRow& row);

std::vector<Chart> roofline_charts(const Report& report);
/// A chart for each layer that is explained: its work, its roofs, its kernel, its time.
std::vector<Chart> explained_charts(const Report& report);
std::vector<Chart> time_charts(const Report& report);
std::vector<Chart> sweep_charts(const Report& report);
std::vector<Chart> compare_charts(const Report& report);
/// What went, came and changed between two results, from the time before to that after.
Chart changes_chart(const Changes& changes);
/// Charts of results, as charts_of() gives them.
std::vector<Chart> layer_charts(const Report& report, std::optional<ChartKind> kind);
/// Charts of recordings without layers; without a kind those that they ask for by themselves.
std::vector<Chart> kernel_charts(const Report& report, std::optional<ChartKind> kind);

}  // namespace roofline
