// Bodies of panels: plots with two continuous axes (rooflines and curves), and bars.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "report/chart/makers.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Places that texts avoid.
struct Obstacles {
  Box bounds;               ///< texts stay within
  std::vector<Box> covers;  ///< never covered: marks and other texts
  std::vector<Box> lines;   ///< covered if there is no other place
};

/// Whether the box covers neither a mark nor a text.
bool is_free(const Box& box, const Obstacles& obstacles) {
  return contains(obstacles.bounds, box) &&
         std::ranges::none_of(obstacles.covers,
                              [&](const Box& other) { return overlap(box, other); });
}

/// Pieces of lines that the box covers.
std::ptrdiff_t covered_lines(const Box& box, const Obstacles& obstacles) {
  return std::ranges::count_if(obstacles.lines,
                               [&](const Box& other) { return overlap(box, other); });
}

/// The first place of those that cover least; nullptr if none is free.
const Text* best_of(const std::vector<Text>& places, const Obstacles& obstacles) {
  const Text* best = nullptr;
  std::ptrdiff_t least = std::numeric_limits<std::ptrdiff_t>::max();
  for (const Text& place : places) {
    const Box box = box_of(place);
    if (!is_free(box, obstacles)) continue;
    const std::ptrdiff_t covered = covered_lines(box, obstacles);
    if (covered >= least) continue;
    best = &place;
    least = covered;
    if (least == 0) break;
  }
  return best;
}

void add_line(Obstacles& obstacles, Position from, Position to) {
  constexpr double step = 5;
  const double count = std::max(1.0, std::ceil(std::hypot(to.x - from.x, to.y - from.y) / step));
  for (double i = 0; i <= count; ++i)
    obstacles.lines.push_back(
        {from.x + i / count * (to.x - from.x) - 1, from.y + i / count * (to.y - from.y) - 1, 2, 2});
}

Text label_at(double x, double y, const std::string& text, Anchor anchor) {
  return {x, y, text, anchor, "ink label"};
}

/// Beside a mark, in order of preference, and around it at each of the distances.
std::vector<Text> places_around(Position at, double radius, const std::string& text,
                                const std::vector<double>& distances) {
  struct Direction {
    double x;
    double y;
    Anchor anchor;
  };
  constexpr std::array directions = std::to_array<Direction>({
      {1, 0, Anchor::start},
      {-1, 0, Anchor::end},
      {0, 1, Anchor::middle},
      {0.7, 0.7, Anchor::start},
      {-0.7, 0.7, Anchor::end},
      {0, -1, Anchor::middle},
      {0.7, -0.7, Anchor::start},
      {-0.7, -0.7, Anchor::end},
  });
  constexpr double mark_gap = 4;
  std::vector<Text> places;
  for (const double distance : distances) {
    const double reach = radius + mark_gap + distance;
    for (const Direction& each : directions) {
      // To the side the middle of the letters is at the reach, above and below their edge.
      const double edge = each.anchor == Anchor::middle ? each.y * small_text * 0.4 : 0;
      places.push_back(label_at(at.x + each.x * reach,
                                at.y + each.y * reach + small_text * 0.35 + edge, text,
                                each.anchor));
    }
  }
  return places;
}

/// Rings of places around a mark, each as far from its edge.
std::vector<Text> places_away(Position at, double radius, const std::string& text) {
  constexpr int directions = 16;
  std::vector<Text> places;
  for (double distance = 16; distance <= 96; distance += 10)
    for (int i = 0; i < directions; ++i) {
      const double angle = 2 * std::numbers::pi * i / directions;
      const double reach = radius + distance;
      places.push_back(label_at(at.x + reach * std::cos(angle),
                                at.y + reach * std::sin(angle) + small_text * 0.35, text,
                                Anchor::middle));
    }
  return places;
}

Position nearest_of(const Box& box, Position to) {
  return {std::clamp(to.x, box.x, box.x + box.width), std::clamp(to.y, box.y, box.y + box.height)};
}

/// Between a box and a mark's edge.
double gap_of(const Box& box, Position mark, double radius) {
  const Position nearest = nearest_of(box, mark);
  return std::hypot(nearest.x - mark.x, nearest.y - mark.y) - radius;
}

/// From the line's end on: above to the left, or below to the right, clear of a rising line.
void add_places_along(std::vector<Text>& places, Position from, Position to, bool is_below,
                      const std::string& text) {
  for (double share = 1; share >= 0; share -= 0.02) {
    const double x = from.x + share * (to.x - from.x);
    const double y = from.y + share * (to.y - from.y);
    places.push_back(is_below ? label_at(x + 4, y + 13, text, Anchor::start)
                              : label_at(x - 4, y - 5, text, Anchor::end));
  }
}

constexpr double left_margin = 96;
constexpr double right_margin = 12;
constexpr double title_height = 16;
constexpr double plot_height = 400;
constexpr double curve_height = 280;
/// Plots side by side are smaller.
constexpr double narrow_width = 500;
constexpr double narrow_height = 300;

// A mark's area is its share of the time, up to largest_radius. A single mark has a fixed size.
constexpr double whole_radius = 30;
constexpr double largest_radius = 13;
constexpr double least_radius = 2.6;
constexpr double lone_radius = 6;
constexpr double dot_radius = 2.4;
constexpr double curve_radius = 3.6;
/// Between texts on one line.
constexpr double text_gap = 4;
/// A label is so much nearer to its own mark than to others.
constexpr double clear_of_others = 5;

class PlotDrawing {
 public:
  PlotDrawing(Scene& scene, const Plot& plot, const Box& frame)
      : scene_(scene),
        plot_(plot),
        frame_(frame),
        x_(plot.x, frame.x, frame.x + frame.width),
        y_(plot.y, frame.y + frame.height, frame.y) {
    obstacles_.bounds = frame;
    double most = 0;
    for (const Mark& mark : plot.marks) most = std::max(most, mark.share);
    if (most > 0) unit_radius_ = std::min(whole_radius, largest_radius / std::sqrt(most));
  }

  void draw() {
    for (const Region& region : plot_.regions) draw(region);
    draw_grid();
    for (const Line& line : plot_.lines) draw(line);
    draw_marks();
    for (const Region& region : plot_.regions) label(region);
    for (const Line& line : plot_.lines) label(line);
    for (const Note& note : plot_.notes)
      write_best(places_around(px_of(note.at), lone_radius, note.text, {0.0, 12.0}));
    for (const std::size_t i : marks_by_share(plot_.marks)) label(plot_.marks[i]);
  }

 private:
  double bottom() const { return frame_.y + frame_.height; }
  Position px_of(const Position& place) const { return {x_(place.x), y_(place.y)}; }
  std::vector<Position> in_px(const std::vector<Position>& places) const {
    return each_of(places, [&](const Position& place) { return px_of(place); });
  }

  void draw(const Region& region) {
    draw_path(scene_, in_px(region.corners), css_name(region.colour) + " tint", true);
  }

  /// At the region's foot, where it is wide enough.
  void label(const Region& region) {
    const double left = x_(region.corners.front().x);
    const double right = x_(region.corners.back().x);
    const double half = text_width(region.label, small_text) / 2;
    std::vector<Text> places;
    for (const double above : {6.0, 20.0, 34.0})
      for (const double share : {0.5, 0.35, 0.65, 0.2, 0.8})
        if (const double x = left + share * (right - left); x - half > left && x + half < right)
          places.push_back({x, bottom() - above, region.label, Anchor::middle, "muted label"});
    write_best(places);
  }

  void label(const Mark& mark) {
    if (mark.at.y < plot_.y.low) return;
    if (!mark.caption.empty() && write_beside(mark, mark.caption)) return;
    if (mark.number == 0) return;
    const std::string number = fmt::format("{}", mark.number);
    if (!write_beside(mark, number)) write_with_leader(mark, number);
  }

  /// Where it covers no line and no reader takes it for another mark's.
  bool write_beside(const Mark& mark, const std::string& text) {
    std::vector<Text> places = places_around(px_of(mark.at), 1.2 * radius_of(mark), text, {0.0});
    std::erase_if(places, [&](const Text& place) { return is_nearer_to_another(place, mark); });
    const Text* const best = best_of(places, obstacles_);
    if (best == nullptr || covered_lines(box_of(*best), obstacles_) > 0) return false;
    write(*best);
    return true;
  }

  /// Whether a reader could take the text for another mark's.
  bool is_nearer_to_another(const Text& place, const Mark& own) const {
    const Box box = box_of(place);
    const double own_gap = gap_of(box, px_of(own.at), radius_of(own));
    return std::ranges::any_of(plot_.marks, [&](const Mark& mark) {
      return &mark != &own &&
             gap_of(box, px_of(mark.at), radius_of(mark)) < own_gap + clear_of_others;
    });
  }

  /// Away from crowded marks, with a thin line to its own.
  void write_with_leader(const Mark& mark, const std::string& text) {
    const Position at = px_of(mark.at);
    const std::vector<Text> places = places_away(at, radius_of(mark), text);
    const Text* const best = best_of(places, obstacles_);
    if (best == nullptr) return;
    const Position end = nearest_of(box_of(*best), at);
    const double share = radius_of(mark) / std::hypot(end.x - at.x, end.y - at.y);
    const Position begin{at.x + share * (end.x - at.x), at.y + share * (end.y - at.y)};
    draw_line(scene_, begin, end, "leader");
    add_line(obstacles_, begin, end);
    write(*best);
  }

  std::size_t majors() const { return static_cast<std::size_t>(frame_.width / 52); }

  void draw_grid() {
    const double right = frame_.x + frame_.width;
    for (const Tick& tick : ticks_of(plot_.x, plot_.x.values.empty() ? majors() : 14)) {
      const double x = x_(tick.value);
      draw_line(scene_, {x, tick.text.empty() ? bottom() - 4 : frame_.y}, {x, bottom()}, "grid");
      if (!tick.text.empty())
        scene_.texts.push_back({x, bottom() + 16, tick.text, Anchor::middle, "muted"});
    }
    for (const Tick& tick : ticks_of(plot_.y, 10)) {
      const double y = y_(tick.value);
      draw_line(scene_, {frame_.x, y}, {tick.text.empty() ? frame_.x + 4 : right, y}, "grid");
      if (!tick.text.empty())
        scene_.texts.push_back({frame_.x - 6, y + 4, tick.text, Anchor::end, "muted"});
    }
    draw_rect(scene_, frame_, "frame");
    scene_.texts.push_back(
        {frame_.x + frame_.width / 2, bottom() + 36, plot_.x.title, Anchor::middle, "ink", 12});
    scene_.texts.push_back(
        {frame_.x - left_margin, frame_.y - 8, plot_.y.title, Anchor::start, "ink", 12});
  }

  void draw(const Line& line) {
    const std::vector<Position> path = in_px(line.path);
    draw_path(scene_, path, fmt::format("line s-{} {}", name_of(line.colour), name_of(line.style)));
    for (std::size_t i = 1; i < path.size(); ++i) add_line(obstacles_, path[i - 1], path[i]);
  }

  void label(const Line& line) {
    if (line.label.empty()) return;
    std::vector<Text> places;
    const Position begin = px_of(line.path[0]);
    const Position after = px_of(line.path[1]);
    for (const bool is_below : {line.label_below, !line.label_below})
      if (line.label_at_begin)
        add_places_along(places, after, begin, is_below, line.label);
      else
        add_places_along(places, px_of(line.path[line.path.size() - 2]), px_of(line.path.back()),
                         is_below, line.label);
    if (line.path.size() > 2) add_places_along(places, begin, after, line.label_below, line.label);
    write_best(places);
  }

  void write_best(const std::vector<Text>& places) {
    if (const Text* const best = best_of(places, obstacles_)) write(*best);
  }

  void write(const Text& text) {
    scene_.texts.push_back(text);
    Box box = box_of(text);
    box.x -= text_gap;
    box.width += 2 * text_gap;
    obstacles_.covers.push_back(box);
  }

  double radius_of(const Mark& mark) const {
    if (plot_.is_curve) return curve_radius;
    if (plot_.marks.size() == 1) return lone_radius;
    return std::max(least_radius, unit_radius_ * std::sqrt(std::clamp(mark.share, 0.0, 1.0)));
  }

  /// Large ones first, so that small ones are visible.
  void draw_marks() {
    const std::vector<std::size_t> order = marks_by_share(plot_.marks);
    for (const std::size_t i : order) draw_joins(plot_.marks[i]);
    for (const std::size_t i : order) draw(plot_.marks[i]);
  }

  void draw_joins(const Mark& mark) {
    if (mark.at.y < plot_.y.low) return;
    const Position at = px_of(mark.at);
    const auto join = [&](const Position& to) {
      draw_line(scene_, at, to, "join");
      add_line(obstacles_, at, to);
    };
    if (mark.whisker) {
      const Position low{at.x, y_(mark.whisker->low)};
      const Position high{at.x, y_(mark.whisker->high)};
      draw_whisker(scene_, low, high);
      add_line(obstacles_, low, high);
    }
    if (mark.expected_y) join({at.x, y_(*mark.expected_y)});
    if (mark.l2_x) join({x_(*mark.l2_x), at.y});
    if (mark.bound_y) join({at.x, y_(*mark.bound_y)});
  }

  void draw(const Mark& mark) {
    const double radius = radius_of(mark);
    scene_.body += fmt::format("<g><title>{}</title>\n", xml_text(mark.hover));
    if (mark.at.y < plot_.y.low) {
      draw_other(Symbol::triangle_down, {x_(mark.at.x), bottom() - lone_radius}, least_radius);
      scene_.body += "</g>\n";
      return;
    }
    const Position at = px_of(mark.at);
    draw_symbol(scene_, mark.symbol, at, radius, css_name(mark.colour));
    keep_free(at, radius);
    if (mark.bound_y)
      draw_symbol(scene_, Symbol::circle, {at.x, y_(*mark.bound_y)}, dot_radius,
                  mark.bound_is_l2 ? "open-dot" : "dot");
    if (mark.l2_x) {
      const Position at_l2{x_(*mark.l2_x), at.y};
      draw_symbol(scene_, Symbol::circle, at_l2, dot_radius, "open-dot");
      keep_free(at_l2, dot_radius);
    }
    if (mark.expected_y)
      draw_other(Symbol::circle, {at.x, y_(*mark.expected_y)}, std::clamp(radius * 0.6, 3.0, 5.0));
    scene_.body += "</g>\n";
  }

  void draw_other(Symbol symbol, const Position& at, double radius) {
    draw_symbol(scene_, symbol, at, radius, "ring");
    keep_free(at, radius);
  }

  void keep_free(const Position& at, double half) {
    const Box box{at.x - half, at.y - half, 2 * half, 2 * half};
    obstacles_.covers.push_back(box);
    scene_.marks.push_back(box);
  }

  Scene& scene_;
  const Plot& plot_;
  Box frame_;
  Scale x_;
  Scale y_;
  double unit_radius_ = whole_radius;
  Obstacles obstacles_;
};

constexpr double row_height = 18;
constexpr double bar_height = 12;
constexpr double bound_height = 3;
constexpr double widest_label = 330;
constexpr std::size_t bar_label_columns = 45;
constexpr double bar_gap = 8;

/// A tick, or an arrow at the end of the axis for a time beyond it.
void draw_measured(Scene& scene, double measured, double longest, const Scale& scale, double top) {
  const double x = scale(std::min(measured, longest));
  const double bottom = top + row_height - 1;
  if (measured <= longest) return draw_line(scene, {x, top + 1}, {x, bottom}, "measured");
  constexpr double head = 5;
  const Position tip{x + head, top + row_height / 2};
  draw_line(scene, {x, top + 4}, tip, "measured");
  draw_line(scene, tip, {x, bottom - 3}, "measured");
}

/// `longest`: the end of the axis.
void draw_bar(Scene& scene, const Bar& bar, double longest, const Scale& scale, double top) {
  const double middle = top + row_height / 2;
  double sum = 0;
  for (const Segment& segment : bar.segments) {
    const double from = scale(sum);
    sum += segment.value;
    const double to = scale(sum);
    draw_rect(scene,
              {std::min(from, to), middle - bar_height / 2, std::fabs(to - from), bar_height},
              css_name(segment.colour), segment.hover);
  }
  if (bar.bound)
    draw_rect(scene,
              {scale(0), middle - bound_height / 2, scale(*bar.bound) - scale(0), bound_height},
              "bound-bar");
  if (bar.whisker) {
    const double below = middle + bar_height / 2 + 2;
    draw_whisker(scene, {scale(bar.whisker->low), below}, {scale(bar.whisker->high), below});
  }
  if (bar.measured) draw_measured(scene, *bar.measured, longest, scale, top);
}

}  // namespace

double draw_plot(Scene& scene, const Plot& plot, Position corner, double width) {
  const double height = plot.is_curve          ? curve_height
                        : width < narrow_width ? narrow_height
                                               : plot_height;
  const Box frame{corner.x + left_margin, corner.y + title_height,
                  width - left_margin - right_margin, height};
  PlotDrawing(scene, plot, frame).draw();
  return frame.y + frame.height + 46;
}

double draw_bars(Scene& scene, const Bars& all, double area_top) {
  const std::vector<Bar>& bars = all.rows;
  const bool is_narrow = scene.width < page_width;
  const double most_label = is_narrow ? 0.3 * scene.width : widest_label;
  double label_width = 0;
  double note_width = 0;
  double longest = all.least_length;
  double negative = 0;
  std::vector<std::string> labels;
  labels.reserve(bars.size());
  for (const Bar& bar : bars) {
    labels.push_back(
        fitted_text(short_name(printable(bar.label), bar_label_columns), most_label, small_text));
    label_width = std::max(label_width, text_width(labels.back(), small_text));
    note_width = std::max(note_width, text_width(bar.note, small_text));
    longest = std::max(longest, length_of(bar));
    negative = std::min(negative, sum_over(bar.segments, &Segment::value));
  }
  const double left = page_margin + label_width + bar_gap;
  const double right = scene.width - page_margin - note_width - bar_gap;
  const double bottom = area_top + row_height * static_cast<double>(bars.size());
  const Axis axis{"", all.unit, false, negative, longest > 0 || negative < 0 ? longest : 1};
  const Scale scale(axis, left, right);
  for (const Tick& tick : ticks_of(axis, is_narrow ? 2 : 6)) {
    draw_line(scene, {scale(tick.value), area_top}, {scale(tick.value), bottom + 3}, "grid");
    scene.texts.push_back({scale(tick.value), bottom + 16, tick.text, Anchor::middle, "muted"});
  }
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const double top = area_top + row_height * static_cast<double>(i);
    draw_bar(scene, bar, longest, scale, top);
    const double base = top + row_height / 2 + 4;
    scene.texts.push_back({left - bar_gap, base, labels[i], Anchor::end, "ink"});
    const bool is_beyond = bar.measured.value_or(0) > longest;
    scene.texts.push_back({scale(is_beyond ? longest : length_of(bar)) + bar_gap, base, bar.note,
                           Anchor::start, "muted"});
  }
  return bottom + 24;
}

}  // namespace roofline
