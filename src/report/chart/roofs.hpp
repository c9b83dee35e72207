#pragma once

// The roofs of GPUs as lines of a chart.

#include <string>
#include <vector>

#include "report/chart/chart.hpp"

namespace roofline {

/// Engines that the results' layers with FLOP run on, the fastest first.
std::vector<Engine> engines_used(const Report& report, const std::vector<std::size_t>& results);

/// Axes around the plot's marks; then around the ridges and the flat roofs of a GPU too, those at
/// L2 where asked for; and last with room for labels.
void begin_axes(Plot& plot);
void include_roofs(Plot& plot, const Bounds& bounds, const std::vector<Engine>& engines,
                   bool with_l2);
void widen_axes(Plot& plot);

/// Device memory, L2 and the engines of one GPU, datasheet and practical or sustained, within the
/// axes.
std::vector<Line> roofs_of_one(const Bounds& bounds, const std::vector<Engine>& engines,
                               const Axis& x, const Axis& y);
/// Of an intensity and an engine: the roof of device memory, or that of L2, under its peak.
double roof_y(const Bounds& bounds, Engine engine, double intensity_flop_per_byte, bool at_l2);

/// Device memory and the main engine of each of several GPUs, by the ceilings that bounds are
/// under.
std::vector<Line> roofs_of_many(const std::vector<const Result*>& results, const Axis& x,
                                const Axis& y);

/// "Tesla V100: fp32 15.70 TFLOP/s, 900.0 GB/s, ridge 17.44"
std::string roof_text(const Result& result);

/// The colour of the n-th of several GPUs.
Colour gpu_colour(std::size_t index);

}  // namespace roofline
