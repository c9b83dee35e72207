#pragma once

// What makers of charts share: how layers look and which of them are marked, the roofs of GPUs, and
// the makers, one a kind of chart.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/chart/chart.hpp"
#include "report/rows.hpp"

namespace roofline {

/// A colour and a symbol, and the layers or kernels that have them.
struct Look {
  std::string_view name;
  Colour colour;
  Symbol symbol;
};

const Look& look_of(const Layer& layer);
/// Legend entries for those of the looks that are among the used ones, in the order of `looks`.
std::vector<LegendItem> look_legend(std::span<const Look> looks,
                                    const std::vector<const Look*>& used, LegendItem::Sign sign);
std::vector<LegendItem> look_legend(const std::vector<TableRow>& rows);

/// The layer's name as tables show it, with its pass and how many are alike.
std::string row_name(const TableRow& row);
/// Every field that tables show, a line each.
std::string row_hover(const TableRow& row);
/// "r0-12": names a layer of a report.
std::string row_link(const Report& report, const TableRow& row);
/// The range around an expected time or rate that holds 68 of 100 measured ones.
std::optional<Whisker> whisker_of(double expected, const std::optional<Uncertainty>& uncertainty);
/// The legend's entry for whiskers.
LegendItem whisker_legend();
/// What all of the row's layers take.
double row_time_s(const TableRow& row);
/// The bars along an axis of time that is as long as the longest.
Bars bars_along_time(std::vector<Bar> bars);
/// More bars are no picture.
inline constexpr std::size_t most_bars = 40;

/// The result's rows as tables fold and choose them; in the network's order unless the view sorts.
std::vector<TableRow> folded_rows(const Report& report, std::size_t result);

/// "3 layers"
std::string layers_text(std::size_t count);

/// What was left out.
struct Thinned {
  std::size_t count = 0;
  double share = 0;  ///< of the time
};

/// Leaves out marks that take next to no time and, where `joins` says so, makes one of those that
/// would cover each other on logarithmic axes. A few marks stay as they are.
Thinned thin(std::vector<Mark>& marks, bool joins);

/// Up to `most` labels stay, those of marks that take longest, and with them what is drawn beside
/// their marks.
void name_longest(std::vector<Mark>& marks, std::size_t most);
inline constexpr std::size_t most_named = 10;

/// What the dots and small marks beside them are.
void add_mark_legend(std::vector<LegendItem>& legend, const std::vector<Mark>& marks);

// Roofs as lines of a chart.

/// Each of the engines once, those with the highest peaks first.
std::vector<Engine> fastest_first(const std::vector<Engine>& engines, const EngineRates& peaks);
/// Engines that the results' layers with FLOP run on, the fastest first.
std::vector<Engine> engines_used(const Report& report, const std::vector<std::size_t>& results);

/// So that the axis holds the value; one that holds nothing yet begins as an empty_axis.
void include(Axis& axis, double value);
Axis empty_axis(std::string title, std::string unit = "");
/// A dotted line from a place down to the x axis, with a word at its foot.
Line foot_line(const Position& from, const Axis& y, std::string label, Colour colour = Colour::ink);
/// Axes around the plot's marks; then around the ridges and the flat roofs of a GPU too, those at
/// L2 where asked for; and last with room for labels.
void begin_axes(Plot& plot);
void include_roofs(Plot& plot, const Bounds& bounds, const std::vector<Engine>& engines,
                   bool with_l2);
void widen_axes(Plot& plot);

/// Device memory, L2 and the engines of one GPU, datasheet and practical or sustained, within the
/// axes.
std::vector<Line> roofs_of_one(const Bounds& bounds, const std::vector<Engine>& engines,
                               const Plot& plot);
/// What the roof of device memory, or that of L2, allows an engine at that intensity.
double roof_y(const Bounds& bounds, Engine engine, double intensity_flop_per_byte, bool at_l2);

/// Device memory and the main engine of each of several GPUs, by the ceilings that bounds are
/// under.
std::vector<Line> roofs_of_many(const std::vector<const Result*>& results, const Plot& plot);

/// "Tesla V100: fp32 15.70 TFLOP/s, 900.0 GB/s, ridge 17.44"
std::string roof_text(const Result& result);

/// The colour of the n-th of several GPUs.
Colour gpu_colour(std::size_t index);

/// Results that share a chart: one piece of work on several GPUs, or inputs of a single layer.
using Work = ResultGroup;
std::vector<Work> works_of(const Report& report);

std::vector<Chart> roofline_charts(const Report& report);
/// A chart for each layer that is explained, alone under the roofs.
std::vector<Chart> explained_charts(const Report& report);
std::vector<Chart> time_charts(const Report& report);
std::vector<Chart> sweep_charts(const Report& report);
std::vector<Chart> compare_charts(const Report& report);
/// Charts of results, as charts_of() gives them.
std::vector<Chart> layer_charts(const Report& report, std::optional<ChartKind> kind);
/// Charts of recordings without layers; without a kind those that they ask for by themselves.
std::vector<Chart> kernel_charts(const Report& report, std::optional<ChartKind> kind);

}  // namespace roofline
