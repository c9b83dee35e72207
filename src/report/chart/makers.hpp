#pragma once

// Shared by makers of charts: marked layers, bars, and roofs of GPUs; and the makers.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/chart/chart.hpp"
#include "report/rows.hpp"
#include "results/changes.hpp"
#include "results/report.hpp"

namespace roofline {

/// The layer's name in tables, with its pass and count.
std::string row_name(const TableRow& row);
/// Every field of tables, one a line.
std::string row_hover(const TableRow& row);
/// The range of 68 of 100 measured values around an expected time or rate.
std::optional<Whisker> whisker_of(double expected, const std::optional<Uncertainty>& uncertainty);
/// As in a terminal's table; in the network's order unless the view sorts.
std::vector<TableRow> folded_rows(const Report& report, std::size_t result);

/// Numbers the longest marks and removes what is drawn beside the others.
void number_longest(std::vector<Mark>& marks, bool of_many);
Panel numbered_panel(std::vector<Mark> marks);

inline Bar plain_bar(std::string label, double value, std::string note, Colour colour,
                     std::string hover = "") {
  return {std::move(label), std::move(note), {{value, colour, std::move(hover)}}};
}
void add_bar_legend(std::vector<LegendItem>& legend, const std::vector<Bar>& bars);
void add_mark_legend(std::vector<LegendItem>& legend, const std::vector<Mark>& marks);

// Roofs as lines of a chart.

/// Without duplicates, by falling peak.
std::vector<Engine> fastest_first(const std::vector<Engine>& engines, const EngineRates& peaks);
/// Widens the axis to the value; begin with empty_axis.
void include(Axis& axis, double value);
Axis empty_axis(std::string title, std::string unit = "");
/// A dotted line from a place to the x axis, with a label at its foot.
Line foot_line(const Position& from, const Axis& y, std::string label, Colour colour = Colour::ink);
struct UsedRoofs {
  const Bounds& bounds;
  std::vector<Engine> engines;
};
/// Axes with room for marks, labels, ridges and flat roofs, and those at L2 if `with_l2`.
void fit_axes(Plot& plot, const std::vector<UsedRoofs>& roofs, bool with_l2);

/// Within the axes: device memory, L2 and engines, datasheet and practical or sustained.
std::vector<Line> roofs_of_one(const Bounds& bounds, const std::vector<Engine>& engines,
                               const Plot& plot);
/// FLOP/s under the roof of device memory or of L2 at an intensity.
double roof_y(const Bounds& bounds, Engine engine, double intensity_flop_per_byte, bool at_l2);

std::vector<Line> ceilings_of(const Bounds& bounds, const std::vector<Engine>& engines,
                              const Plot& plot);
std::vector<Region> sides_of_ridge(const Bounds& bounds, Engine engine, const Plot& plot);

Colour series_colour(std::size_t index);

/// The parts of a recorded step, idle time by cause first.
std::optional<Panel> step_panel(const Result& result);
/// The row's mark alone under its roofs; nullopt without FLOP.
std::optional<Panel> layer_under_roofs(const Report& report, const TableRow& row);
/// What the row's expected time is made of.
Panel parts_panel(const TableRow& row);

std::vector<Chart> roofline_charts(const Report& report);
/// One chart for each explained layer: its work, roofs, kernel and time.
std::vector<Chart> explained_charts(const Report& report);
std::vector<Chart> time_charts(const Report& report);
std::vector<Chart> sweep_charts(const Report& report);
std::vector<Chart> compare_charts(const Report& report);
Chart changes_chart(const Changes& changes);
/// Charts of recordings without layers; nullopt: their default kinds.
std::vector<Chart> kernel_charts(const Report& report, std::optional<ChartKind> kind);

}  // namespace roofline
