#pragma once

// A picture in pixels: shapes as SVG elements, and texts kept apart so that what they cover is
// known. There are no font metrics: widths are estimated, and rather too large than too small.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "report/chart/chart.hpp"

namespace roofline {

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

bool overlap(const Box& a, const Box& b);
bool contains(const Box& outer, const Box& inner);

enum class Anchor : std::uint8_t { start, middle, end };

/// The size of every text but titles.
inline constexpr double small_text = 11;

struct Text {
  double x = 0;
  double y = 0;  ///< of the baseline
  std::string text;
  double size = small_text;
  Anchor anchor = Anchor::start;
  double angle = 0;  ///< degrees, clockwise, about (x, y)
  std::string_view css = "ink";
};

double text_width(std::string_view text, double size);
/// What the text covers; a turned one in several boxes along its baseline.
std::vector<Box> boxes_of(const Text& text);
bool overlap(const Text& a, const Text& b);

struct Scene {
  double width = 0;
  double height = 0;
  std::string body;  ///< SVG elements
  std::vector<Text> texts;
};

/// Characters that XML forbids, and bytes that are not UTF-8, replaced; < > & and quotes escaped.
std::string xml_text(std::string_view text);
/// A coordinate with one decimal.
std::string px(double value);
/// Class names of fills and strokes in that colour.
std::string css_name(Colour colour);
/// The outline of a symbol whose area is that of a circle of radius `radius`.
std::string symbol_path(Symbol symbol, double x, double y, double radius);
/// Words on lines no wider than `width`.
std::vector<std::string> wrapped_text(std::string_view text, double width, double size);
/// The text's beginning and end, at most `width` wide.
std::string fitted_text(const std::string& text, double width, double size);

}  // namespace roofline
