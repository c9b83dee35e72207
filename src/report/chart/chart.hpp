#pragma once

// A chart as a value, in the data's units, which makers.hpp makes of reports; and its drawing as
// SVG.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "results/report.hpp"
#include "roofline/render.hpp"

namespace roofline {

/// No two are equally light, for readers with colour blindness and for print.
enum class Colour : std::uint8_t {
  blue,
  sky,
  vermillion,
  green,
  brown,
  orange,
  purple,
  yellow,
  grey,
  wine,
  ink,    ///< of text
  paper,  ///< an outline
};

enum class Symbol : std::uint8_t {
  circle,
  hexagon,
  square,
  diamond,
  triangle,
  triangle_down,
  plus,
  cross,
  pentagon,
};

enum class LineStyle : std::uint8_t {
  solid,     ///< datasheet
  dashed,    ///< practical or sustained
  dash_dot,  ///< L2
  dotted,    ///< guides
};

struct Axis {
  std::string title;
  std::string unit = {};  ///< of tick labels, which add prefixes: "GFLOP/s"; empty: plain numbers
  bool logarithmic = false;
  double low = 0;
  double high = 1;
  std::vector<double> values = {};  ///< places of ticks; empty: round values
};

struct Position {
  double x = 0;
  double y = 0;
};

/// A ceiling or a guide.
struct Line {
  std::vector<Position> path = {};
  LineStyle style = LineStyle::solid;
  Colour colour = Colour::ink;
  std::string label = {};
  bool label_at_begin = false;  ///< at the path's first part rather than the end of the last
  bool label_below = false;     ///< to the right, rather than above to the left
};

/// The range of 68 of 100 measured values.
struct Whisker {
  double low = 0;
  double high = 0;
};

/// A layer, or alike layers. Marks with one label are one layer on several GPUs.
struct Mark {
  std::string label;
  std::string caption = {};  ///< beside the mark if there is room
  std::size_t number = 0;    ///< rank by time, from 1; 0: not numbered
  std::string series = {};   ///< the GPU or the type, if there are several
  std::size_t plot = 0;      ///< index of the plot
  std::string hover;
  Position at;                       ///< by the measured time if known, else by the expected
  std::optional<double> expected_y;  ///< if `at` is measured
  std::optional<double> bound_y;     ///< the layer's roof
  bool bound_is_l2 = false;          ///< that roof is L2
  std::optional<double> l2_x;        ///< intensity at L2
  std::optional<Whisker> whisker;    ///< of the expected value
  double share = 0;                  ///< of the time, 0..1: the mark's area
  double time_s = 0;
  Colour colour = Colour::ink;
  Symbol symbol = Symbol::circle;
};

/// An area of a plot, such as the memory-bound side of a ridge, with a label at its foot.
struct Region {
  std::vector<Position> corners;
  Colour colour = Colour::blue;
  std::string label;
};

struct Note {
  Position at;
  std::string text;
};

struct LegendItem {
  enum class Sign : std::uint8_t {
    mark,
    ring,
    bound,
    l2_bound,
    bar,
    thin_bar,
    whisker,
    tick,
  };
  std::string text;
  Sign sign = Sign::mark;
  Colour colour = Colour::ink;
  Symbol symbol = Symbol::circle;
};

std::vector<std::size_t> marks_by_share(const std::vector<Mark>& marks);

struct Plot {
  Axis x;
  Axis y;
  std::vector<Region> regions = {};
  std::vector<Line> lines;
  std::vector<Mark> marks;
  std::vector<Note> notes;
  bool is_curve = false;  ///< marks are points of lines
};

struct Segment {
  double value = 0;
  Colour colour = Colour::blue;
  std::string hover;
};

/// A row of a bar chart: consecutive segments, or one below 0.
struct Bar {
  std::string label;
  std::string note = {};  ///< behind the bar
  std::vector<Segment> segments = {};
  std::optional<double> bound = {};     ///< a thin bar within
  std::optional<double> measured = {};  ///< a tick
  std::optional<Whisker> whisker = {};  ///< of the segments' sum, below the bar
};

struct Bars {
  std::vector<Bar> rows;
  std::string unit = "s";
  double least_length = 0;  ///< of the axis, which bars of other panels share
};

/// The length of axis that the bar needs.
double length_of(const Bar& bar);

struct Panel {
  std::string heading;
  std::variant<Plot, Bars> body;
  std::vector<LegendItem> legend;
};

struct Chart {
  std::string title;
  std::string subtitle = {};
  std::vector<Panel> panels = {};
  std::size_t columns = 1;  ///< plots side by side
  std::string caption = {};
};

/// The report's charts of a kind, one for each piece of work; by default of batches, if swept, or
/// the roofline. Throws InputError if the report has nothing for such a chart.
std::vector<Chart> charts_of(const Report& report, std::optional<ChartKind> kind);

// Drawing in pixels: shapes as SVG elements; texts and marks apart so that their boxes are known.

struct Tick {
  double value = 0;
  std::string text;  ///< empty for minor ticks
};

/// Round values within the axis, about `majors` of them with a text.
std::vector<Tick> ticks_of(const Axis& axis, std::size_t majors);

/// From the axis' values to pixels; axis.low is at `from`.
class Scale {
 public:
  Scale(const Axis& axis, double from, double to);
  double operator()(double value) const { return from_ + per_unit_ * beyond_low(value); }

 private:
  double beyond_low(double value) const;

  bool logarithmic_;
  double low_;
  double from_;
  double per_unit_ = 0;
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

/// In the widest of common fonts, so that a text of any is within its box.
double text_width(std::string_view text, double size, bool is_title = false);
Box box_of(const Text& text);

struct Scene {
  double width = 0;
  double height = 0;
  std::string body;  ///< SVG elements
  std::vector<Text> texts;
  std::vector<Box> marks;  ///< symbols of plots, which no text may cover
};

/// Escapes < > & and quotes; replaces bytes that are not UTF-8 and characters that XML forbids.
std::string xml_text(std::string_view text);
/// As chart.css names it.
std::string css_name(Colour colour);
/// Outline with the area of a circle of `radius`.
std::string symbol_path(Symbol symbol, double x, double y, double radius);
/// The text's beginning and end, at most `width` wide but at least a few letters.
std::string fitted_text(const std::string& text, double width, double size);

inline constexpr double page_width = 800;
/// For telephones: one plot a row, short labels.
inline constexpr double narrow_page_width = 330;
inline constexpr double page_margin = 16;

/// Draws down from the corner; returns the bottom.
double draw_plot(Scene& scene, const Plot& plot, Position corner, double width);
/// Across the scene; returns the bottom.
double draw_bars(Scene& scene, const Bars& bars, double top);

void draw_line(Scene& scene, Position from, Position to, std::string_view css);
void draw_rect(Scene& scene, const Box& box, std::string_view css, const std::string& hover = "");
/// A thin horizontal or vertical line with caps.
void draw_whisker(Scene& scene, Position from, Position to);
void draw_path(Scene& scene, const std::vector<Position>& path, const std::string& css,
               bool is_closed = false);
void draw_symbol(Scene& scene, Symbol symbol, Position at, double radius, std::string_view css);

Scene scene_of(const std::vector<Chart>& charts, double width_px = page_width);

std::string svg_element(const Chart& chart, double width_px = page_width);

}  // namespace roofline
