#include "report/chart/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace roofline {
namespace {

double power_of_ten(int exponent) { return std::pow(10.0, exponent); }

/// Also of what lies beyond the smallest and the largest number once an axis is widened.
double decade_of(double value) {
  using Limits = std::numeric_limits<double>;
  return std::log10(std::clamp(value, Limits::denorm_min(), Limits::max()));
}

std::vector<Tick> logarithmic_ticks(const Axis& axis, std::size_t majors) {
  const int first = static_cast<int>(std::floor(decade_of(axis.low) + 1e-9));
  const int last = static_cast<int>(std::ceil(decade_of(axis.high) - 1e-9));
  const int decades = last - first;
  const int step = std::max(1, (decades + static_cast<int>(majors) - 1) /
                                   static_cast<int>(std::max<std::size_t>(1, majors)));
  const bool few = decade_of(axis.high) - decade_of(axis.low) < 2;
  std::vector<Tick> ticks;
  for (int decade = first; decade <= last; ++decade)
    for (int digit = 1; digit < 10; ++digit) {
      const double value = digit * power_of_ten(decade);
      const bool is_inside = value >= axis.low * (1 - 1e-9) && value <= axis.high * (1 + 1e-9);
      if (!is_inside || !std::isfinite(value)) continue;
      const bool major = digit == 1 ? decade % step == 0 : few && (digit == 2 || digit == 5);
      if (!major && step > 1) continue;
      ticks.push_back({value, major ? tick_text(value, axis.unit) : ""});
    }
  return ticks;
}

/// 1, 2 or 5 times a power of ten.
double round_step(double step) {
  const double power = power_of_ten(static_cast<int>(std::floor(decade_of(step))));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= step * (1 - 1e-9)) return digit * power;
  return 10 * power;
}

std::vector<Tick> linear_ticks(const Axis& axis, std::size_t majors) {
  std::vector<Tick> ticks;
  if (!(axis.high > axis.low)) return ticks;
  const double step =
      round_step((axis.high - axis.low) / static_cast<double>(std::max<std::size_t>(1, majors)));
  // Between numbers that are all but zero, or beyond all others, there is no step.
  if (!(step > 0) || !std::isfinite(step)) return ticks;
  for (int i = 0;; ++i) {
    const double value = axis.low + i * step;
    if (value > axis.high * (1 + 1e-9) || !std::isfinite(value)) return ticks;
    ticks.push_back({value, tick_text(value, axis.unit)});
  }
}

/// At the axis' own values, with as many texts as there may be.
std::vector<Tick> stated_ticks(const Axis& axis, std::size_t majors) {
  const std::size_t step = (axis.values.size() + majors - 1) / majors;
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < axis.values.size(); ++i)
    ticks.push_back({axis.values[i], i % step == 0 ? fmt::format("{:.10g}", axis.values[i]) : ""});
  return ticks;
}

}  // namespace

std::vector<Tick> ticks_of(const Axis& axis, std::size_t majors) {
  if (!axis.values.empty()) return stated_ticks(axis, std::max<std::size_t>(1, majors));
  return axis.logarithmic ? logarithmic_ticks(axis, majors) : linear_ticks(axis, majors);
}

std::string tick_text(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 11> prefixes{"p", "n", "u", "m", "", "k",
                                                      "M", "G", "T", "P", "E"};
  if (value == 0) return "0";
  std::size_t prefix = 4;
  while (value >= 999.9999 && prefix + 1 < prefixes.size()) value /= 1000, ++prefix;
  if (!unit.empty())
    while (value < 0.9999999 && prefix > 0) value *= 1000, --prefix;
  return fmt::format("{:.4g}{}{}{}", value, unit.empty() ? "" : " ", prefixes[prefix], unit);
}

Scale::Scale(const Axis& axis, double from, double to)
    : logarithmic_(axis.logarithmic), low_(axis.low), from_(from) {
  const double range = logarithmic_ ? decade_of(axis.high) - decade_of(axis.low)
                                    : std::max(axis.high - axis.low, 1e-300);
  per_unit_ = (to - from) / range;
}

double Scale::operator()(double value) const {
  return from_ + per_unit_ * (logarithmic_ ? decade_of(value) - decade_of(low_) : value - low_);
}

}  // namespace roofline
