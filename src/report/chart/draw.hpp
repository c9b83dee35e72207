#pragma once

// Panels of a chart onto a scene.

#include "report/chart/scene.hpp"

namespace roofline {

/// How charts are drawn as SVG.
struct SvgStyle {
  bool links = false;  ///< marks and bars link to their layers, as within a page that shows these
};

/// What a number beside marks stands for.
struct KeyRow {
  std::string name;
  std::string detail;
  Symbol symbol = Symbol::circle;
  std::optional<Colour> colour;
};

struct DrawnPlot {
  double end = 0;           ///< where it ends
  std::vector<KeyRow> key;  ///< of its numbers, from 1
};

/// Each draws within the columns from `left` to `right`, from `top` down, and returns where it
/// ends.
DrawnPlot draw_plot(Scene& scene, const Plot& plot, const Box& area, const SvgStyle& style);
double draw_bars(Scene& scene, const Bars& bars, const Box& area, const SvgStyle& style);
double draw_legend(Scene& scene, const std::vector<LegendItem>& legend, const Box& area);
double draw_key(Scene& scene, const std::vector<KeyRow>& key, const Box& area);

/// An element that says what it is when pointed at, and links to its layer where links are asked
/// for.
void begin_layer(Scene& scene, const std::string& hover, const std::string& link,
                 const SvgStyle& style);
void end_layer(Scene& scene, const std::string& link, const SvgStyle& style);

void draw_line(Scene& scene, Position from, Position to, std::string_view css);
/// A thin line with a cap at either end, across or upright.
void draw_whisker(Scene& scene, Position from, Position to);
/// The same with its dashes and colour.
void draw_path(Scene& scene, const std::vector<Position>& path, LineStyle style, Colour colour);
void draw_symbol(Scene& scene, Symbol symbol, Position at, double radius, std::string_view css);

/// The charts one below the other.
Scene scene_of(const std::vector<Chart>& charts, const SvgStyle& style);

/// The charts one below the other as an SVG document, or as an element of a page.
std::string svg_document(const std::vector<Chart>& charts);
std::string svg_element(const Chart& chart, const SvgStyle& style);
/// The style sheet of svg_element.
std::string_view svg_css();

}  // namespace roofline
