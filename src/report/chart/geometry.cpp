// Geometry of charts: axes as positions and ticks, texts as boxes, symbols as outlines.

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "report/chart/chart.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

double power_of_ten(int exponent) { return std::pow(10.0, exponent); }

/// log10, clamped to finite numbers above 0, which widened axes may leave.
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
  // The axis is too narrow or too wide for a step.
  if (!(step > 0) || !std::isfinite(step)) return ticks;
  for (int i = 0;; ++i) {
    const double value = axis.low + i * step;
    if (value > axis.high * (1 + 1e-9) || !std::isfinite(value)) return ticks;
    ticks.push_back({value, tick_text(value, axis.unit)});
  }
}

/// Ticks at the axis' own values, at most `majors` of them with a text.
std::vector<Tick> stated_ticks(const Axis& axis, std::size_t majors) {
  const std::size_t step = (axis.values.size() + majors - 1) / majors;
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < axis.values.size(); ++i)
    ticks.push_back({axis.values[i], i % step == 0 ? fmt::format("{:.10g}", axis.values[i]) : ""});
  return ticks;
}

/// Average width of a letter over the font's size, in the widest of common sans-serif fonts.
constexpr double letter_width = 0.66;
constexpr double ascent = 0.8;    ///< above the baseline, over the size
constexpr double descent = 0.25;  ///< below it

struct Polar {
  double degrees;
  double radius;
};

struct Outline {
  std::size_t repeats;
  double turn_degrees;
  double scale;  ///< gives it the area of a circle
  std::span<const Polar> corners;
};

constexpr Polar corner[] = {{0, 1}};
/// A plus sign's arm, a third as wide as the sign.
constexpr Polar arm[] = {{-18.4349, 1.05409}, {18.4349, 1.05409}, {45, 0.471405}};

constexpr Outline outline_of(Symbol symbol) {
  switch (symbol) {
    case Symbol::circle: break;
    case Symbol::hexagon: return {6, 0, 1.0996, corner};
    case Symbol::square: return {4, 45, 1.2533, corner};
    case Symbol::diamond: return {4, 0, 1.2533, corner};
    case Symbol::triangle: return {3, -90, 1.5551, corner};
    case Symbol::triangle_down: return {3, 90, 1.5551, corner};
    case Symbol::plus: return {4, 0, 1.1890, arm};
    case Symbol::cross: return {4, 45, 1.1890, arm};
    case Symbol::pentagon: return {5, -90, 1.1495, corner};
  }
  return {};
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

bool overlap(const Box& a, const Box& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

bool contains(const Box& outer, const Box& inner) {
  return inner.x >= outer.x && inner.y >= outer.y &&
         inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

double text_width(std::string_view text, double size) {
  return letter_width * size * static_cast<double>(display_width(text));
}

std::size_t columns_within(double width, double size) {
  return static_cast<std::size_t>(std::max(width / (letter_width * size), 5.0));
}

Box box_of(const Text& text) {
  const double width = text_width(text.text, text.size);
  const double before = text.anchor == Anchor::start    ? 0
                        : text.anchor == Anchor::middle ? width / 2
                                                        : width;
  return {text.x - before, text.y - ascent * text.size, width, (ascent + descent) * text.size};
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : printable_lines(text)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string px(double value) {
  const double rounded = std::round(value * 10) / 10;
  return rounded == 0 ? "0"
                      : fmt::format("{:.{}f}", rounded, rounded == std::round(rounded) ? 0 : 1);
}

std::string_view hex_of(Colour colour) {
  switch (colour) {
    case Colour::blue: return "#0a559e";
    case Colour::sky: return "#76c8f4";
    case Colour::vermillion: return "#da5006";
    case Colour::green: return "#00775b";
    case Colour::brown: return "#783006";
    case Colour::orange: return "#ffcb66";
    case Colour::purple: return "#d48fc8";
    case Colour::yellow: return "#faf6a0";
    case Colour::grey: return "#929292";
    case Colour::wine: return "#6d1435";
    case Colour::ink: return "#1a1a1a";
    case Colour::paper: return "#ffffff";
  }
  return "";
}

std::string css_name(Colour colour) { return "c-" + std::string(name_of(colour)); }

std::string symbol_path(Symbol symbol, double x, double y, double radius) {
  if (symbol == Symbol::circle)
    return fmt::format("M{0},{1}a{2},{2} 0 1,0 {3},0a{2},{2} 0 1,0 -{3},0Z", px(x - radius), px(y),
                       px(radius), px(2 * radius));
  const Outline outline = outline_of(symbol);
  std::string path;
  for (std::size_t i = 0; i < outline.repeats; ++i)
    for (const Polar& each : outline.corners) {
      const double degrees = outline.turn_degrees + each.degrees +
                             360.0 * static_cast<double>(i) / static_cast<double>(outline.repeats);
      const double angle = degrees * std::numbers::pi / 180;
      const double reach = radius * outline.scale * each.radius;
      path += fmt::format("{}{},{}", path.empty() ? "M" : "L", px(x + reach * std::cos(angle)),
                          px(y + reach * std::sin(angle)));
    }
  return path + "Z";
}

std::string fitted_text(const std::string& text, double width, double size) {
  return shortened(printable(text), columns_within(width, size));
}

}  // namespace roofline
