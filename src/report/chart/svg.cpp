// Charts as SVG without scripts and fonts, with plain classes that converters understand; and their
// geometry: axes as positions and ticks, texts as boxes, symbols as outlines.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "report/chart/makers.hpp"
#include "report/formats.hpp"
#include "report/text.hpp"
#include "report/texts.hpp"
#include "results/report.hpp"

namespace roofline {
namespace {

/// A coordinate with one decimal.
std::string px(double value) {
  const double rounded = std::round(value * 10) / 10;
  return rounded == 0 ? "0"
                      : fmt::format("{:.{}f}", rounded, rounded == std::round(rounded) ? 0 : 1);
}

/// "10 GFLOP/s"; without a unit "0.1", "100", "10k".
std::string tick_text(double value, std::string_view unit) {
  if (value == 0 || (unit.empty() && value < 999.9999)) return fmt::format("{:.4g}", value);
  const std::string_view prefix = take_prefix(value);
  return fmt::format("{:.4g}{}{}{}", value, unit.empty() ? "" : " ", prefix, unit);
}

/// An element on a line of its own.
template <class... Args>
void add_element(std::string& svg, fmt::format_string<Args...> form, Args&&... args) {
  svg += fmt::format(form, std::forward<Args>(args)...) + '\n';
}

constexpr double sign_width = 24;
constexpr double line_height = 18;

void draw_sign(Scene& scene, const LegendItem& item, double x, double y) {
  using Sign = LegendItem::Sign;
  const auto bar = [&](std::string_view css, double height) {
    draw_rect(scene, {x - 9, y - height / 2, 18, height}, css);
  };
  switch (item.sign) {
    case Sign::mark: draw_symbol(scene, item.symbol, {x, y}, 5, css_name(item.colour)); break;
    case Sign::ring: draw_symbol(scene, Symbol::circle, {x, y}, 5, "ring"); break;
    case Sign::bound: draw_symbol(scene, Symbol::circle, {x, y}, 2.4, "dot"); break;
    case Sign::l2_bound: draw_symbol(scene, Symbol::circle, {x, y}, 2.4, "open-dot"); break;
    case Sign::bar: bar(css_name(item.colour), 10); break;
    case Sign::thin_bar: bar("bound-bar", 3); break;
    case Sign::whisker: draw_whisker(scene, {x - 9, y}, {x + 9, y}); break;
    case Sign::tick: draw_line(scene, {x, y - 7}, {x, y + 7}, "measured"); break;
  }
}

double power_of_ten(int exponent) { return std::pow(10.0, exponent); }

/// log10, clamped to finite numbers above 0, which widened axes may leave.
double decade_of(double value) {
  using Limits = std::numeric_limits<double>;
  return std::log10(std::clamp(value, Limits::denorm_min(), Limits::max()));
}

std::vector<Tick> logarithmic_ticks(const Axis& axis, std::size_t majors) {
  const int first = static_cast<int>(std::floor(decade_of(axis.low) + 1e-9));
  const int last = static_cast<int>(std::ceil(decade_of(axis.high) - 1e-9));
  const int most = std::max(1, static_cast<int>(majors));
  const int step = std::max(1, (last - first + most - 1) / most);
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
  // Multiples of the step, so that 0 is a tick of an axis that spans it.
  for (double i = std::ceil(axis.low / step - 1e-9);; ++i) {
    const double value = i * step + 0.0;  // no -0
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

constexpr Polar tip[] = {{0, 1}};
/// A plus sign's arm, a third as wide as the sign.
constexpr Polar arm[] = {{-18.4349, 1.05409}, {18.4349, 1.05409}, {45, 0.471405}};

/// In the order of Symbol, whose first is a circle.
constexpr Outline outlines[] = {
    {},
    {6, 0, 1.0996, tip},
    {4, 45, 1.2533, tip},
    {4, 0, 1.2533, tip},
    {3, -90, 1.5551, tip},
    {3, 90, 1.5551, tip},
    {4, 0, 1.1890, arm},
    {4, 45, 1.1890, arm},
    {5, -90, 1.1495, tip},
};

double area_width_of(const Scene& scene) { return scene.width - 2 * page_margin; }

double draw_legend(Scene& scene, const std::vector<LegendItem>& legend, double top) {
  if (legend.empty()) return top;
  const double area_width = area_width_of(scene);
  double x = page_margin;
  double y = top + line_height / 2;
  for (const LegendItem& item : legend) {
    const std::string text = fitted_text(item.text, area_width - 2 * sign_width, small_text);
    const double item_width = sign_width + 4 + text_width(text, small_text) + 10;
    if (x > page_margin && x + item_width > page_margin + area_width) {
      x = page_margin;
      y += line_height;
    }
    draw_sign(scene, item, x + sign_width / 2, y);
    scene.texts.push_back({x + sign_width + 4, y + 4, text, Anchor::start, "ink"});
    x += item_width;
  }
  return y + line_height / 2 + 10;
}

bool is_title(std::string_view css) { return css.find("title") != css.npos; }

/// The longest beginning of `text` that ends before a blank and is at most `width` wide; at least
/// a word.
std::string_view first_line(std::string_view text, double width, double size, bool as_title) {
  std::size_t end = std::min(text.find(' '), text.size());
  while (end < text.size()) {
    const std::size_t next = std::min(text.find(' ', end + 1), text.size());
    if (text_width(text.substr(0, next), size, as_title) > width) break;
    end = next;
  }
  return text.substr(0, end);
}

/// Returns the bottom.
double draw_paragraph(Scene& scene, std::string_view text, Position corner, double width,
                      double size, std::string_view css) {
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view sentence = take(rest, '\n');
    while (!sentence.empty()) {
      const std::string_view line = first_line(sentence, width, size, is_title(css));
      corner.y += size * 1.35;
      scene.texts.push_back({corner.x, corner.y, std::string(line), Anchor::start, css, size});
      sentence.remove_prefix(std::min(line.size() + 1, sentence.size()));
    }
  }
  return corner.y;
}

/// A panel in one of the chart's columns; returns the bottom.
double draw_panel(Scene& scene, const Panel& panel, double top, std::size_t column,
                  std::size_t columns) {
  const double share = area_width_of(scene) / static_cast<double>(columns);
  const double left = page_margin + static_cast<double>(column) * share;
  if (!panel.heading.empty()) {
    const std::string lines =
        columns > 1 ? fitted_text(panel.heading, 0.85 * share, 12) : panel.heading;
    top = draw_paragraph(scene, lines, {left, top}, share, 12, "ink title") + 8;
  }
  const auto* plot = std::get_if<Plot>(&panel.body);
  return plot != nullptr ? draw_plot(scene, *plot, {left, top}, share)
                         : draw_bars(scene, std::get<Bars>(panel.body), top);
}

/// Returns the bottom.
double draw_chart(Scene& scene, const Chart& chart, double top) {
  const double area_width = area_width_of(scene);
  const std::size_t columns = scene.width < page_width ? 1 : chart.columns;
  const auto paragraph = [&](std::string_view text, double at, double size, std::string_view css) {
    return draw_paragraph(scene, text, {page_margin, at}, area_width, size, css);
  };
  const double title_lines = scene.width < page_width ? 2.6 : 1.6;
  double y =
      paragraph(fitted_text(chart.title, title_lines * area_width, 16), top + 8, 16, "ink title");
  y = paragraph(chart.subtitle, y + 2, 12, "muted") + 12;
  std::size_t column = 0;
  for (std::size_t i = 0; i < chart.panels.size(); ++i) {
    const Panel& panel = chart.panels[i];
    const bool is_plot = std::holds_alternative<Plot>(panel.body);
    const double end = draw_panel(scene, panel, y, column, is_plot ? columns : 1);
    const bool goes_on =
        i + 1 < chart.panels.size() && std::holds_alternative<Plot>(chart.panels[i + 1].body);
    column = is_plot && goes_on ? (column + 1) % columns : 0;
    if (column == 0) y = draw_legend(scene, panel.legend, end);
  }
  return paragraph(chart.caption, y, small_text, "muted") + page_margin;
}

std::string element_of(const Scene& scene, const std::string& label, std::string_view role,
                       std::string_view head) {
  std::string svg =
      fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {0} {1}" )"
                  R"(width="{0}" height="{1}" role="{2}" aria-label="{3}">)"
                  "\n{4}",
                  px(scene.width), px(scene.height), role, xml_text(label), head);
  add_element(svg, R"(<rect class="paper" width="{}" height="{}"/>)", px(scene.width),
              px(scene.height));
  svg += scene.body;
  for (const Text& text : scene.texts)
    add_element(svg, R"(<text class="{}" x="{}" y="{}" font-size="{}" text-anchor="{}">{}</text>)",
                text.css, px(text.x), px(text.y), px(text.size), name_of(text.anchor),
                xml_text(text.text));
  return svg + "</svg>\n";
}

}  // namespace

void draw_line(Scene& scene, Position from, Position to, std::string_view css) {
  add_element(scene.body, R"(<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>)", css, px(from.x),
              px(from.y), px(to.x), px(to.y));
}

void draw_rect(Scene& scene, const Box& box, std::string_view css, const std::string& hover) {
  const std::string title = hover.empty() ? "" : "<title>" + xml_text(hover) + "</title>";
  add_element(scene.body, R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}">{}</rect>)", css,
              px(box.x), px(box.y), px(box.width), px(box.height), title);
}

void draw_whisker(Scene& scene, Position from, Position to) {
  constexpr double half_cap = 2.5;
  const bool is_upright = from.x == to.x;
  const Position half{is_upright ? half_cap : 0, is_upright ? 0 : half_cap};
  draw_line(scene, from, to, "whisker");
  for (const Position& end : {from, to})
    draw_line(scene, {end.x - half.x, end.y - half.y}, {end.x + half.x, end.y + half.y}, "whisker");
}

void draw_path(Scene& scene, const std::vector<Position>& path, const std::string& css,
               bool is_closed) {
  std::string text;
  for (const Position& place : path)
    text += fmt::format("{}{},{}", text.empty() ? "M" : "L", px(place.x), px(place.y));
  add_element(scene.body, R"(<path class="{}" d="{}{}"/>)", css, text, is_closed ? "Z" : "");
}

void draw_symbol(Scene& scene, Symbol symbol, Position at, double radius, std::string_view css) {
  add_element(scene.body, R"(<path class="{}" d="{}"/>)", css,
              symbol_path(symbol, at.x, at.y, radius));
}

Scene scene_of(const std::vector<Chart>& charts, double width_px) {
  Scene scene;
  scene.width = width_px;
  for (const Chart& chart : charts)
    scene.height = std::ceil(draw_chart(scene, chart, scene.height));
  return scene;
}

std::string svg_element(const Chart& chart, double width_px) {
  return element_of(scene_of({chart}, width_px), chart.title + ": " + chart.subtitle, "group", "");
}

void write_svg(const Report& report, const RenderStyle& style, const Sink& sink) {
  std::vector<Chart> charts = charts_of(report, style.chart);
  if (charts.empty()) charts.push_back({.title = "no input could be evaluated"});
  std::string label;
  for (const Chart& chart : charts)
    label += (label.empty() ? "" : "; ") + chart.title + ": " + chart.subtitle;
  sink(element_of(scene_of(charts), label, "img", fmt::format("<style>\n{}</style>\n", chart_css)));
}

std::vector<Tick> ticks_of(const Axis& axis, std::size_t majors) {
  if (!axis.values.empty()) return stated_ticks(axis, std::max<std::size_t>(1, majors));
  return axis.logarithmic ? logarithmic_ticks(axis, majors) : linear_ticks(axis, majors);
}

Scale::Scale(const Axis& axis, double from, double to)
    : logarithmic_(axis.logarithmic), low_(axis.low), from_(from) {
  per_unit_ = (to - from) / std::max(beyond_low(axis.high), 1e-300);
}

double Scale::beyond_low(double value) const {
  return logarithmic_ ? decade_of(value) - decade_of(low_) : value - low_;
}

bool overlap(const Box& a, const Box& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

bool contains(const Box& outer, const Box& inner) {
  return inner.x >= outer.x && inner.y >= outer.y &&
         inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

Box box_of(const Text& text) {
  const double width = text_width(text.text, text.size, is_title(text.css));
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

std::string css_name(Colour colour) { return "c-" + std::string(name_of(colour)); }

std::string symbol_path(Symbol symbol, double x, double y, double radius) {
  if (symbol == Symbol::circle)
    return fmt::format("M{0},{1}a{2},{2} 0 1,0 {3},0a{2},{2} 0 1,0 -{3},0Z", px(x - radius), px(y),
                       px(radius), px(2 * radius));
  const Outline& outline = outlines[index_of(symbol)];
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

}  // namespace roofline
