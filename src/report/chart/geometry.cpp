// Geometry of charts: axes as positions and ticks, texts as boxes, symbols as outlines.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "report/chart/draw.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

double power_of_ten(int exponent) { return std::pow(10.0, exponent); }

/// The logarithm to base 10. Widening an axis may lead beyond the smallest and the largest number,
/// which stand for what lies there.
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

/// Parts of an em that letters take in the widest of common sans-serif fonts.
double em_of(char c) {
  constexpr std::string_view narrow = "iljtfrI.,:;'|!()[] /-";
  constexpr std::string_view wide = "mwMW%@";
  if (narrow.find(c) != narrow.npos) return 0.42;
  if (wide.find(c) != wide.npos) return 0.98;
  return (c >= 'A' && c <= 'Z') ? 0.72 : 0.64;
}

constexpr double ascent = 0.8;    ///< above the baseline, of the size
constexpr double descent = 0.25;  ///< below it

std::string polygon(const std::vector<Position>& corners) {
  std::string path;
  for (const Position& corner : corners)
    path += fmt::format("{}{},{}", path.empty() ? "M" : "L", px(corner.x), px(corner.y));
  return path + "Z";
}

/// Corners of a regular polygon, the first one at `angle` degrees.
std::vector<Position> regular(std::size_t count, double x, double y, double radius, double angle) {
  std::vector<Position> corners;
  for (std::size_t i = 0; i < count; ++i) {
    const double turn = (angle + 360.0 * static_cast<double>(i) / static_cast<double>(count)) *
                        std::numbers::pi / 180;
    corners.push_back({x + radius * std::cos(turn), y + radius * std::sin(turn)});
  }
  return corners;
}

/// A plus sign whose arms are a third as wide as it is, turned by `angle` degrees.
std::vector<Position> plus(double x, double y, double half, double angle) {
  const double t = half / 3;
  const double cosine = std::cos(angle * std::numbers::pi / 180);
  const double sine = std::sin(angle * std::numbers::pi / 180);
  std::vector<Position> corners;
  for (const Position& p : {Position{-t, -half},
                            {t, -half},
                            {t, -t},
                            {half, -t},
                            {half, t},
                            {t, t},
                            {t, half},
                            {-t, half},
                            {-t, t},
                            {-half, t},
                            {-half, -t},
                            {-t, -t}})
    corners.push_back({x + p.x * cosine - p.y * sine, y + p.x * sine + p.y * cosine});
  return corners;
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
  double width = 0;
  std::size_t ascii = 0;
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x80) {
      width += em_of(c);
      ++ascii;
    }
  // Others by the columns that a terminal gives them: one for a letter, two for East Asian.
  const double columns = static_cast<double>(display_width(text)) - static_cast<double>(ascii);
  return size * (width + 0.7 * std::max(0.0, columns));
}

std::vector<Box> boxes_of(const Text& text) {
  const double width = text_width(text.text, text.size);
  const double before = text.anchor == Anchor::start    ? 0
                        : text.anchor == Anchor::middle ? width / 2
                                                        : width;
  const double height = (ascent + descent) * text.size;
  if (text.angle == 0) return {{text.x - before, text.y - ascent * text.size, width, height}};
  const double cosine = std::cos(text.angle * std::numbers::pi / 180);
  const double sine = std::sin(text.angle * std::numbers::pi / 180);
  const auto count = static_cast<std::size_t>(std::ceil(width / height)) + 1;
  std::vector<Box> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    const double along =
        width * static_cast<double>(i) / static_cast<double>(count - 1 + (count == 1)) - before;
    const double up = (ascent - descent) / 2 * text.size;
    const double x = text.x + along * cosine + up * sine;
    const double y = text.y + along * sine - up * cosine;
    // The corners of squares stick out of a turned line, so these are a little smaller.
    const double side = 0.85 * height;
    boxes.push_back({x - side / 2, y - side / 2, side, side});
  }
  return boxes;
}

bool overlap(const Text& a, const Text& b) {
  const std::vector<Box> theirs = boxes_of(b);
  for (const Box& box : boxes_of(a))
    if (std::ranges::any_of(theirs, [&](const Box& other) { return overlap(box, other); }))
      return true;
  return false;
}

std::string xml_text(std::string_view text) {
  std::string clean;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (begin > 0) clean += '\n';
    clean += printable(text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::string out;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const std::string_view rest = std::string_view(clean).substr(i, 3);
    if (rest == "\xEF\xBF\xBE" || rest == "\xEF\xBF\xBF") {  // U+FFFE, U+FFFF: not XML
      out += '?';
      i += 2;
      continue;
    }
    switch (clean[i]) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += clean[i];
    }
  }
  return out;
}

std::string px(double value) {
  const double rounded = std::round(value * 10) / 10;
  return rounded == 0 ? "0"
                      : fmt::format("{:.{}f}", rounded, rounded == std::round(rounded) ? 0 : 1);
}

std::string css_name(Colour colour) { return "c-" + std::string(name_of(colour)); }

std::string symbol_path(Symbol symbol, double x, double y, double radius) {
  // Each factor gives the area pi x radius^2.
  constexpr double square = 0.8862 * std::numbers::sqrt2;  // to a corner
  constexpr double triangle = 1.5551;
  constexpr double hexagon = 1.0996;
  constexpr double arms = 1.1890;
  switch (symbol) {
    case Symbol::circle:
      return fmt::format("M{0},{1}a{2},{2} 0 1,0 {3},0a{2},{2} 0 1,0 -{3},0Z", px(x - radius),
                         px(y), px(radius), px(2 * radius));
    case Symbol::hexagon: return polygon(regular(6, x, y, radius * hexagon, 0));
    case Symbol::square: return polygon(regular(4, x, y, radius * square, 45));
    case Symbol::diamond: return polygon(regular(4, x, y, radius * square, 0));
    case Symbol::triangle: return polygon(regular(3, x, y, radius * triangle, -90));
    case Symbol::triangle_down: return polygon(regular(3, x, y, radius * triangle, 90));
    case Symbol::plus: return polygon(plus(x, y, radius * arms, 0));
    case Symbol::cross: return polygon(plus(x, y, radius * arms, 45));
  }
  return "";
}

std::vector<std::string> wrapped_text(std::string_view text, double width, double size) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string longer = line + (line.empty() ? "" : " ") + std::string(text.substr(0, end));
    if (!line.empty() && text_width(longer, size) > width) {
      lines.push_back(std::move(line));
      line = text.substr(0, end);
    } else {
      line = longer;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> short_labels(const std::vector<std::string>& labels, std::size_t columns) {
  std::vector<std::string> clean;
  clean.reserve(labels.size());
  for (const std::string& label : labels) clean.push_back(printable(label));
  return short_names(clean, columns);
}

std::string fitted_text(const std::string& text, double width, double size) {
  std::string fitted = printable(text);
  for (std::size_t columns = display_width(fitted); columns > 5 && text_width(fitted, size) > width;
       --columns)
    fitted = shortened(printable(text), columns);
  return fitted;
}

}  // namespace roofline
