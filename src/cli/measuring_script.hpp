#pragma once

#include <string>

namespace roofline {

/// A Python file that times layers on a GPU for `minutes` unless told otherwise, and writes a CSV
/// that `roofline calibrate` reads. Layers of the built-in networks and of configs/calibration
/// stand in it, one a line, those of each kind in the order of telling_order.
std::string measuring_script(double minutes);

}  // namespace roofline
