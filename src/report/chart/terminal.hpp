#pragma once

// Panels of a chart as text.

#include <string>

#include "report/chart/canvas.hpp"
#include "report/chart/chart.hpp"

namespace roofline {

std::string plot_text(const Plot& plot, const Screen& screen);
std::string bars_text(const Bars& bars, const std::vector<LegendItem>& legend,
                      const Screen& screen);
/// Items one after the other on lines of the style's width.
std::string flowing_text(const std::vector<std::string>& items, std::string_view between,
                         std::size_t width);

}  // namespace roofline
