#pragma once

// One maker a kind of chart; charts.cpp has them in one table.

#include <optional>
#include <string_view>
#include <vector>

#include "report/chart/chart.hpp"

namespace roofline {

/// Results that share a chart: one piece of work on several GPUs, or inputs of a single layer.
using Work = std::vector<std::size_t>;
std::vector<Work> works_of(const Report& report);

/// The conventions that a chart over intensity states in its caption.
inline constexpr std::string_view intensity_conventions =
    "FLOP/B: 1 MAC is 2 FLOP, each operand moves once.";

std::vector<Chart> roofline_charts(const Report& report);
/// Of the layers that are explained, each alone under the roofs.
std::vector<Chart> explained_charts(const Report& report);
std::vector<Chart> intensity_charts(const Report& report);
std::vector<Chart> time_charts(const Report& report);
std::vector<Chart> sweep_charts(const Report& report);
std::vector<Chart> compare_charts(const Report& report);
/// Of results, as charts_of().
std::vector<Chart> layer_charts(const Report& report, std::optional<ChartKind> kind);
/// Of recordings without layers; without a kind those that they ask for by themselves.
std::vector<Chart> kernel_charts(const Report& report, std::optional<ChartKind> kind);

}  // namespace roofline
