// Plots with two continuous axes: rooflines and curves.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "report/chart/draw.hpp"
#include "report/chart/makers.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

// Where the names of marks and lines go, so that none covers another.

/// What labels keep off.
struct Obstacles {
  Box bounds;               ///< labels stay within
  std::vector<Text> texts;  ///< never covered
  std::vector<Box> marks;   ///< never covered by names of marks
  std::vector<Box> lines;   ///< covered only where there is no other place
};

/// A text by a mark of radius `radius` at (x, y): beside it, above it, below it, further away with
/// a leader.
struct LabelRequest {
  std::string text;
  double x = 0;
  double y = 0;
  double radius = 0;
  bool important = false;  ///< may cover lines, or be far away, rather than not be there
};

struct PlacedLabel {
  Text text;
  std::optional<std::array<Position, 2>> leader;
};

constexpr double mark_gap = 4;
constexpr double near = 24;

/// What a text may cover for want of a better place.
enum class Cover : std::uint8_t { nothing, lines, marks };

bool is_free(const Text& text, const Obstacles& obstacles, Cover cover) {
  for (const Box& box : boxes_of(text)) {
    const auto hits = [&](const Box& other) { return overlap(box, other); };
    if (!contains(obstacles.bounds, box)) return false;
    if (cover != Cover::marks && std::ranges::any_of(obstacles.marks, hits)) return false;
    if (cover == Cover::nothing && std::ranges::any_of(obstacles.lines, hits)) return false;
  }
  return std::ranges::none_of(obstacles.texts,
                              [&](const Text& other) { return overlap(text, other); });
}

/// Directions from a mark in the order in which they are tried.
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

PlacedLabel label_at(const LabelRequest& request, const Direction& direction, double distance) {
  const double reach = request.radius + mark_gap + distance;
  PlacedLabel label;
  label.text.text = request.text;
  label.text.size = small_text;
  label.text.anchor = direction.anchor;
  label.text.x = request.x + direction.x * reach;
  // The middle of the letters at the reach; above and below their edge.
  label.text.y = request.y + direction.y * reach + small_text * 0.35 +
                 (direction.anchor == Anchor::middle ? direction.y * small_text * 0.4 : 0);
  label.text.css = "ink label";
  if (distance > 0)
    label.leader = {Position{request.x + direction.x * request.radius,
                             request.y + direction.y * request.radius},
                    Position{request.x + direction.x * (reach - mark_gap / 2),
                             request.y + direction.y * (reach - mark_gap / 2)}};
  return label;
}

/// Adds boxes along a stretch of a line.
void add_line(Obstacles& obstacles, Position from, Position to) {
  constexpr double step = 5;
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const auto count = static_cast<std::size_t>(std::ceil(length / step));
  for (std::size_t i = 0; i <= count; ++i) {
    const double share = count == 0 ? 0 : static_cast<double>(i) / static_cast<double>(count);
    obstacles.lines.push_back(
        {from.x + share * (to.x - from.x) - 1, from.y + share * (to.y - from.y) - 1, 2, 2});
  }
}

/// The first place that is free; none where there is none. The caller adds what it takes.
std::optional<PlacedLabel> place_label(const LabelRequest& request, const Obstacles& obstacles) {
  for (const Cover cover : {Cover::nothing, Cover::lines}) {
    if (cover == Cover::lines && !request.important) break;
    for (const double distance : {0.0, 12.0, 24.0, 40.0, 60.0}) {
      if (distance > near && !request.important) break;
      for (const Direction& direction : directions)
        if (PlacedLabel label = label_at(request, direction, distance);
            is_free(label.text, obstacles, cover))
          return label;
    }
  }
  return std::nullopt;
}

/// The first of these places of a text that is free; marks are covered rather than the text left
/// out.
std::optional<Text> place_text(const std::vector<Text>& choices, const Obstacles& obstacles) {
  for (const Cover cover : {Cover::nothing, Cover::lines, Cover::marks})
    for (const Text& text : choices)
      if (is_free(text, obstacles, cover)) return text;
  return std::nullopt;
}

constexpr double left_margin = 96;
constexpr double right_margin = 12;
constexpr double plot_height = 400;
constexpr double curve_height = 280;

// A mark that takes the whole time would have the large radius, if that made no mark larger than
// the largest; none is smaller than the small one. A mark alone hides nothing.
constexpr double whole_radius = 30;
constexpr double largest_radius = 13;
constexpr double least_radius = 2.6;
constexpr double lone_radius = 6;
constexpr double dot_radius = 2.4;
constexpr double curve_radius = 3.6;

constexpr std::size_t mark_label_columns = 38;

class PlotDrawing {
 public:
  PlotDrawing(Scene& scene, const Plot& plot, const Box& frame)
      : scene_(scene),
        plot_(plot),
        frame_(frame),
        x_(plot.x, frame.x, frame.x + frame.width),
        y_(plot.y, frame.y + frame.height, frame.y),
        names_(names_of_marks()) {
    obstacles_.bounds = frame;
    double most = 0;
    for (const Mark& mark : plot.marks) most = std::max(most, mark.share);
    if (most > 0) unit_radius_ = std::min(whole_radius, largest_radius / std::sqrt(most));
  }

  /// What the numbers beside marks stand for; empty where the marks have their names.
  std::vector<KeyRow> draw() {
    draw_grid();
    for (const Line& line : plot_.lines) draw(line);
    draw_marks();
    for (const Line& line : plot_.lines) label(line);
    if (!plot_.notes.empty()) {
      write_notes();
      return {};
    }
    return label_marks();
  }

 private:
  double bottom() const { return frame_.y + frame_.height; }
  Position px_of(const Position& place) const { return {x_(place.x), y_(place.y)}; }

  void draw_grid() {
    const double right = frame_.x + frame_.width;
    for (const Tick& tick : ticks_of(plot_.x, plot_.x.values.empty() ? 10 : 14)) {
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
    scene_.body += fmt::format(R"(<rect class="frame" x="{}" y="{}" width="{}" height="{}"/>)"
                               "\n",
                               px(frame_.x), px(frame_.y), px(frame_.width), px(frame_.height));
    scene_.texts.push_back(
        {frame_.x + frame_.width / 2, bottom() + 36, plot_.x.title, Anchor::middle, "ink", 12});
    scene_.texts.push_back(
        {14, frame_.y + frame_.height / 2, plot_.y.title, Anchor::middle, "ink", 12, -90});
  }

  void draw(const Line& line) {
    std::vector<Position> path;
    for (const Position& place : line.path) path.push_back(px_of(place));
    draw_path(scene_, path, line.style, line.colour);
    for (std::size_t i = 1; i < path.size(); ++i) add_line(obstacles_, path[i - 1], path[i]);
  }

  /// Along its slope, at its right end, or by its foot on the axis.
  void label(const Line& line) {
    if (line.label.empty()) return;
    std::vector<Text> choices;
    switch (line.label_at) {
      case Line::LabelAt::begin: choices = along(line); break;
      case Line::LabelAt::end:
        choices = at_end(line);
        if (line.path.size() > 2) std::ranges::move(along(line), std::back_inserter(choices));
        break;
      case Line::LabelAt::foot: choices = at_foot(line); break;
    }
    if (const auto text = place_text(choices, obstacles_)) take(*text);
  }

  std::vector<Text> along(const Line& line) const {
    const Position from = px_of(line.path[0]);
    const Position to = px_of(line.path[1]);
    const double angle = std::atan2(to.y - from.y, to.x - from.x);
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    std::vector<Text> choices;
    const std::array<double, 3> sides =
        line.label_below ? std::array{-12.5, 6.0, -20.0} : std::array{6.0, -12.5, -20.0};
    for (const double above : sides)
      for (double share = 0.04; share < 0.9; share += 0.03)
        choices.push_back({from.x + share * length * std::cos(angle) + above * std::sin(angle),
                           from.y + share * length * std::sin(angle) - above * std::cos(angle),
                           line.label, Anchor::start, "ink label", small_text,
                           angle * 180 / std::numbers::pi});
    return choices;
  }

  /// At the right end, or further left as far as the line is flat, above it or below.
  std::vector<Text> at_end(const Line& line) const {
    const Position end = px_of(line.path.back());
    const Position corner = px_of(line.path[line.path.size() - 2]);
    const double width = text_width(line.label, small_text);
    std::vector<Text> choices;
    const std::array<double, 2> sides =
        line.label_below ? std::array{13.0, -5.0} : std::array{-5.0, 13.0};
    for (const double offset : sides)
      for (double x = end.x - 4; x == end.x - 4 || x - width > corner.x; x -= 8)
        choices.push_back({x, end.y + offset, line.label, Anchor::end, "ink label"});
    return choices;
  }

  std::vector<Text> at_foot(const Line& line) const {
    const Position foot = px_of(line.path.back());
    std::vector<Text> choices;
    for (double y = foot.y - 6; y > foot.y - 120; y -= 14)
      for (const Anchor anchor : {Anchor::start, Anchor::end})
        choices.push_back(
            {foot.x + (anchor == Anchor::start ? 4 : -4), y, line.label, anchor, "ink label"});
    return choices;
  }

  void take(const Text& text) {
    scene_.texts.push_back(text);
    obstacles_.texts.push_back(text);
  }

  double radius_of(const Mark& mark) const {
    if (plot_.is_curve) return curve_radius;
    if (plot_.marks.size() == 1) return lone_radius;
    return std::max(least_radius, unit_radius_ * std::sqrt(std::clamp(mark.share, 0.0, 1.0)));
  }

  /// The marks' labels, each once, those of the longest first.
  std::vector<std::string> names_of_marks() const {
    std::vector<std::string> names;
    for (const std::size_t i : marks_by_share(plot_.marks))
      if (const std::string& label = plot_.marks[i].label;
          !label.empty() && std::ranges::find(names, label) == names.end())
        names.push_back(label);
    return names;
  }

  /// The place of its name among them; their number where it has none.
  std::size_t name_index(const Mark& mark) const {
    return static_cast<std::size_t>(std::ranges::find(names_, mark.label) - names_.begin());
  }

  /// Large ones first, so that small ones are seen.
  void draw_marks() {
    const std::vector<std::size_t> order = marks_by_share(plot_.marks);
    for (const std::size_t i : order) draw_joins(plot_.marks[i]);
    for (const std::size_t i : order) draw(plot_.marks[i]);
  }

  /// Lines from a mark to its other values, below all marks.
  void draw_joins(const Mark& mark) {
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
    const Position at = px_of(mark.at);
    const double radius = radius_of(mark);
    begin_layer(scene_, mark.hover, mark.link);
    draw_symbol(scene_, mark.symbol, at, radius, css_name(mark.colour));
    if (mark.bound_y)
      draw_symbol(scene_, Symbol::circle, {at.x, y_(*mark.bound_y)}, dot_radius,
                  mark.bound_is_l2 ? "open-dot" : "dot");
    if (mark.l2_x) draw_other(mark.symbol, {x_(*mark.l2_x), at.y}, 4);
    if (mark.expected_y)
      draw_other(Symbol::circle, {at.x, y_(*mark.expected_y)}, std::clamp(radius * 0.6, 3.0, 5.0));
    end_layer(scene_, mark.link);
    const double half = radius * 0.85;
    obstacles_.marks.push_back({at.x - half, at.y - half, 2 * half, 2 * half});
  }

  /// Another value of a mark: an outline.
  void draw_other(Symbol symbol, const Position& at, double radius) {
    draw_symbol(scene_, symbol, at, radius, "c-paper");
    obstacles_.marks.push_back({at.x - radius, at.y - radius, 2 * radius, 2 * radius});
  }

  void take(const PlacedLabel& label) {
    if (label.leader) {
      draw_line(scene_, (*label.leader)[0], (*label.leader)[1], "leader");
      add_line(obstacles_, (*label.leader)[0], (*label.leader)[1]);
    }
    take(label.text);
  }

  void write_notes() {
    for (const Note& note : plot_.notes) {
      const Position at = px_of(note.at);
      if (const auto label = place_label({note.text, at.x, at.y, lone_radius, true}, obstacles_))
        take(*label);
    }
  }

  /// Each of the marks that matter with the text of its name, or none where one finds no place.
  std::optional<std::vector<PlacedLabel>> placed(const std::vector<std::string>& texts,
                                                 bool all) const {
    std::vector<PlacedLabel> labels;
    Obstacles obstacles = obstacles_;
    for (const std::size_t i : marks_by_share(plot_.marks)) {
      const Mark& mark = plot_.marks[i];
      const std::size_t name = name_index(mark);
      if (name == names_.size()) continue;
      const Position at = px_of(mark.at);
      const auto label =
          place_label({texts[name], at.x, at.y, 1.2 * radius_of(mark), !all}, obstacles);
      if (!label && all) return std::nullopt;
      if (!label) continue;
      obstacles.texts.push_back(label->text);
      if (label->leader) add_line(obstacles, (*label->leader)[0], (*label->leader)[1]);
      labels.push_back(*label);
    }
    return labels;
  }

  /// By their names if there is room for all of them, else by numbers.
  std::vector<KeyRow> label_marks() {
    if (const auto labels = placed(short_labels(names_, mark_label_columns), true)) {
      for (const PlacedLabel& label : *labels) take(label);
      return {};
    }
    std::vector<std::string> numbers;
    for (std::size_t i = 0; i < names_.size(); ++i) numbers.push_back(fmt::format("{}", i + 1));
    if (const auto labels = placed(numbers, false))
      for (const PlacedLabel& label : *labels) take(label);
    return key_rows();
  }

  bool is_alone(const Mark& mark) const {
    return std::ranges::count_if(plot_.marks,
                                 [&](const Mark& each) { return each.label == mark.label; }) == 1;
  }

  std::vector<KeyRow> key_rows() const {
    std::vector<KeyRow> rows(names_.size());
    for (const Mark& mark : plot_.marks) {
      const std::size_t name = name_index(mark);
      if (name == names_.size()) continue;
      KeyRow& row = rows[name];
      const bool is_first = row.detail.empty();
      row.name = mark.label;
      if (mark.others > 0) row.name += fmt::format(" and {} more", mark.others);
      row.detail += (is_first ? "" : " / ") + duration(mark.time_s);
      if (is_alone(mark)) row.detail += ", " + percent(mark.share);
      row.symbol = mark.symbol;
      row.colour = row.colour.value_or(mark.colour) == mark.colour ? mark.colour : Colour::ink;
    }
    return rows;
  }

  Scene& scene_;
  const Plot& plot_;
  Box frame_;
  Scale x_;
  Scale y_;
  std::vector<std::string> names_;
  double unit_radius_ = whole_radius;
  Obstacles obstacles_;
};

}  // namespace

DrawnPlot draw_plot(Scene& scene, const Plot& plot, const Box& area) {
  const Box frame{area.x + left_margin, area.y, area.width - left_margin - right_margin,
                  plot.is_curve ? curve_height : plot_height};
  std::vector<KeyRow> key = PlotDrawing(scene, plot, frame).draw();
  return {area.y + frame.height + 46, std::move(key)};
}

}  // namespace roofline
