#pragma once

// Whole tiles, steps and waves, of sizes that only enter times and so are doubles.

#include <cmath>

namespace roofline {

inline double divide_up(double numerator, double denominator) {
  return std::ceil(numerator / denominator);
}

inline double round_up(double value, double unit) { return divide_up(value, unit) * unit; }

}  // namespace roofline
