#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "roofline/enumeration.hpp"

namespace roofline {

/// What runs the layers.
enum class MeasuringTool : std::uint8_t { pytorch, miopen };

/// A script that times layers on a GPU for `minutes` unless told otherwise, and writes what
/// `roofline calibrate` reads: in Python with PyTorch, or for MIOpen's driver, convolutions only.
/// Layers of the built-in networks and of configs/calibration stand in it, one a line, those of
/// each kind in the order of farthest_point_order.
std::string measuring_script(MeasuringTool tool, double minutes);

}  // namespace roofline
