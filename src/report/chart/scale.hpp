#pragma once

// Axes as positions and ticks.

#include <string>
#include <vector>

#include "report/chart/chart.hpp"

namespace roofline {

struct Tick {
  double value = 0;
  std::string text;  ///< empty for minor ticks
};

/// Round values within the axis, some `majors` of them with a text.
std::vector<Tick> ticks_of(const Axis& axis, std::size_t majors);

/// A tick's value: "10 GFLOP/s"; without a unit "0.1", "100", "10k".
std::string tick_text(double value, std::string_view unit);

/// From the axis' values to positions on a page or screen, `from` being that of axis.low.
class Scale {
 public:
  Scale(const Axis& axis, double from, double to);
  double operator()(double value) const;

 private:
  bool logarithmic_;
  double low_;
  double from_;
  double per_unit_;
};

}  // namespace roofline
