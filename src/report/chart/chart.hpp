#pragma once

// A chart as a value: what is drawn, in the data's own units, before any page. Makers turn a report
// into charts; drawers turn charts into SVG. Neither works out what the other does.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "roofline/enumeration.hpp"
#include "roofline/render.hpp"
#include "roofline/report.hpp"

namespace roofline {

/// Apart from each other for readers who do not tell red from green, and in print without colours:
/// no two are equally light.
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
  paper,  ///< an outline alone
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
  std::string unit = {};  ///< of tick labels, with prefixes: "GFLOP/s"; empty: plain numbers
  bool logarithmic = false;
  double low = 0;
  double high = 1;
  std::vector<double> values = {};  ///< that ticks stand at; empty: at round values
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
  bool label_at_begin = false;  ///< by the first part of the path rather than the end of the last
  bool label_below = false;     ///< and to the right rather than above it to the left
};

/// Between which values 68 of 100 measured ones lie.
struct Whisker {
  double low = 0;
  double high = 0;
};

/// A layer, or layers that are alike. Marks with one label are one layer on several GPUs.
struct Mark {
  std::string label;
  std::string caption = {};  ///< by the mark, where there is room for it
  std::size_t number = 0;    ///< of those that take longest, from 1; 0: of no such mark
  std::string series = {};   ///< the GPU or the type, where there are several
  std::size_t plot = 0;      ///< of several, which
  std::string hover;
  Position at;  ///< by its measured time where there is one, else by its expected time
  std::optional<double> expected_y;  ///< where `at` is measured
  std::optional<double> bound_y;     ///< of the roof that it is under
  bool bound_is_l2 = false;          ///< that roof is the one of L2
  std::optional<double> l2_x;        ///< its intensity at L2
  std::optional<Whisker> whisker;    ///< of the expected value
  double share = 0;                  ///< of the time, 0..1: the area of the mark
  double time_s = 0;
  Colour colour = Colour::ink;
  Symbol symbol = Symbol::circle;
};

/// An area of a plot, such as the side of the ridge where memory bounds, with words at its foot.
struct Region {
  std::vector<Position> corners;
  Colour colour = Colour::blue;
  std::string label;
};

/// What is said of a place, by words next to it.
struct Note {
  Position at;
  std::string text;
};

struct LegendItem {
  enum class Sign : std::uint8_t {
    mark,
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

/// The marks' indices, those that take longest first.
std::vector<std::size_t> marks_by_share(const std::vector<Mark>& marks);

struct Plot {
  Axis x;
  Axis y;
  std::vector<Region> regions = {};
  std::vector<Line> lines;
  std::vector<Mark> marks;
  std::vector<Note> notes;
  bool is_curve = false;  ///< marks are points of lines, all alike
};

struct Segment {
  double value = 0;
  Colour colour = Colour::blue;
  std::string hover;
};

/// A row of a bar chart: segments one after the other.
struct Bar {
  std::string label;
  std::string note = {};  ///< behind the bar
  std::vector<Segment> segments = {};
  double begin = 0;                     ///< of the first segment
  std::optional<double> bound = {};     ///< drawn as a thin bar within
  std::optional<double> measured = {};  ///< drawn as a tick
  std::optional<Whisker> whisker = {};  ///< of the segments' sum, below the bar
};

/// Bars along one axis.
struct Bars {
  std::vector<Bar> rows;
  std::string unit = "s";
};

/// What the bar needs of the axis.
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

/// The report's charts of that kind, one for each piece of work; without a kind those that the
/// report asks for by itself: batches swept, or else the roofline. Throws InputError where the
/// report has nothing that such a chart shows.
std::vector<Chart> charts_of(const Report& report, std::optional<ChartKind> kind);

}  // namespace roofline
