#pragma once

// Charts in pixels: shapes as SVG elements, and texts apart so that their boxes are known. Widths
// are estimates, rather too large, without font metrics.

#include "report/chart/chart.hpp"

namespace roofline {

struct Tick {
  double value = 0;
  std::string text;  ///< empty for minor ticks
};

/// Round values within the axis, about `majors` of them with a text.
std::vector<Tick> ticks_of(const Axis& axis, std::size_t majors);

/// "10 GFLOP/s"; without a unit "0.1", "100", "10k".
std::string tick_text(double value, std::string_view unit);

/// From the axis' values to pixels; axis.low is at `from`.
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

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

bool overlap(const Box& a, const Box& b);
bool contains(const Box& outer, const Box& inner);

enum class Anchor : std::uint8_t { start, middle, end };

inline constexpr double small_text = 11;

struct Text {
  double x = 0;
  double y = 0;  ///< of the baseline
  std::string text;
  Anchor anchor = Anchor::start;
  std::string_view css = "ink";
  double size = small_text;
};

double text_width(std::string_view text, double size);
/// Number of letters within `width`; at least a few.
std::size_t columns_within(double width, double size);
Box box_of(const Text& text);

struct Scene {
  double width = 0;
  double height = 0;
  std::string body;  ///< SVG elements
  std::vector<Text> texts;
};

/// Escapes < > & and quotes; replaces bytes that are not UTF-8 and characters that XML forbids.
std::string xml_text(std::string_view text);
/// A coordinate with one decimal.
std::string px(double value);
/// "#0a559e": on a light ground.
std::string_view hex_of(Colour colour);
std::string css_name(Colour colour);
/// Outline with the area of a circle of `radius`.
std::string symbol_path(Symbol symbol, double x, double y, double radius);
/// The text's beginning and end, at most `width` wide.
std::string fitted_text(const std::string& text, double width, double size);

inline constexpr double page_width = 800;
inline constexpr double page_margin = 16;

/// Draws down from the corner; returns the bottom.
double draw_plot(Scene& scene, const Plot& plot, Position corner, double width);
/// Across the page; returns the bottom.
double draw_bars(Scene& scene, const Bars& bars, double top);

/// Until the end of the group, shapes show this text on hover.
void begin_group(Scene& scene, const std::string& hover);
void end_group(Scene& scene);

void draw_line(Scene& scene, Position from, Position to, std::string_view css);
void draw_rect(Scene& scene, const Box& box, std::string_view css, const std::string& hover = "");
/// A thin horizontal or vertical line with caps.
void draw_whisker(Scene& scene, Position from, Position to);
void draw_path(Scene& scene, const std::vector<Position>& path, LineStyle style, Colour colour);
void draw_tint(Scene& scene, const std::vector<Position>& corners, Colour colour);
void draw_symbol(Scene& scene, Symbol symbol, Position at, double radius, std::string_view css);

Scene scene_of(const std::vector<Chart>& charts);

std::string svg_element(const Chart& chart);
std::string svg_css();

}  // namespace roofline
