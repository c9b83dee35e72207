// Plots with two continuous axes: the roofline, intensities.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "report/chart/draw.hpp"
#include "report/chart/labels.hpp"
#include "report/chart/layers.hpp"
#include "report/chart/scale.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr double left_margin = 96;
constexpr double right_margin = 12;
constexpr double plot_height = 400;

// A mark that takes the whole time has the large radius; none is smaller than the small one.
constexpr double whole_radius = 30;
constexpr double least_radius = 2.6;

// Layers are named from the longest on, until these shares or this many are.
constexpr double named_share = 0.9;
constexpr double least_named_share = 0.01;
constexpr std::size_t most_marks_named = 10;
constexpr double important_share = 0.05;
constexpr std::size_t mark_label_columns = 38;

// More lines from marks to their bounds would hide the marks.
constexpr std::size_t most_joined = 30;

double radius_of(const Mark& mark) {
  return std::max(least_radius, whole_radius * std::sqrt(std::clamp(mark.share, 0.0, 1.0)));
}

class PlotDrawing {
 public:
  PlotDrawing(Scene& scene, const Plot& plot, const Box& frame, const SvgStyle& style)
      : scene_(scene),
        plot_(plot),
        frame_(frame),
        style_(style),
        x_(plot.x, frame.x, frame.x + frame.width),
        y_(plot.y, frame.y + frame.height, frame.y) {
    obstacles_.bounds = frame;
  }

  void draw() {
    draw_grid();
    draw_spans();
    for (const Line& line : plot_.lines) draw(line);
    draw_marks();
    for (const Line& line : plot_.lines) label(line);
    label_marks();
  }

 private:
  double bottom() const { return frame_.y + frame_.height; }
  Position px_of(const Position& place) const { return {x_(place.x), y_(place.y)}; }

  void draw_grid() {
    const double right = frame_.x + frame_.width;
    for (const Tick& tick : plot_.spans.empty() ? ticks_of(plot_.x, 10) : std::vector<Tick>()) {
      const double x = x_(tick.value);
      draw_line(scene_, {x, tick.text.empty() ? bottom() - 4 : frame_.y}, {x, bottom()}, "grid");
      if (!tick.text.empty())
        scene_.texts.push_back(
            {x, bottom() + 16, tick.text, small_text, Anchor::middle, 0, "muted"});
    }
    for (const Tick& tick : ticks_of(plot_.y, 10)) {
      const double y = y_(tick.value);
      draw_line(scene_, {frame_.x, y}, {tick.text.empty() ? frame_.x + 4 : right, y}, "grid");
      if (!tick.text.empty())
        scene_.texts.push_back(
            {frame_.x - 6, y + 4, tick.text, small_text, Anchor::end, 0, "muted"});
    }
    scene_.body += fmt::format(R"(<rect class="frame" x="{}" y="{}" width="{}" height="{}"/>)"
                               "\n",
                               px(frame_.x), px(frame_.y), px(frame_.width), px(frame_.height));
    scene_.texts.push_back(
        {frame_.x + frame_.width / 2, bottom() + 36, plot_.x.title, 12, Anchor::middle, 0, "ink"});
    scene_.texts.push_back(
        {14, frame_.y + frame_.height / 2, plot_.y.title, 12, Anchor::middle, -90, "ink"});
  }

  /// Names of stages below the axis, as far as there is room for them.
  void draw_spans() {
    double free_from = frame_.x;
    for (const Span& span : plot_.spans) {
      const double from = x_(span.low);
      const double to = x_(span.high);
      draw_line(scene_, {from, bottom()}, {from, bottom() + 5}, "tick");
      const std::string text = fitted_text(span.text, std::max(to - from, 40.0), small_text);
      const double half = text_width(text, small_text) / 2;
      const double middle = std::clamp((from + to) / 2, frame_.x + half,
                                       std::max(frame_.x + half, frame_.x + frame_.width - half));
      if (middle - half < free_from || text.find("...") != text.npos) continue;
      free_from = middle + half + 4;
      scene_.texts.push_back({middle, bottom() + 16, text, small_text, Anchor::middle, 0, "muted"});
    }
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
    for (const double above : {7.5, -15.0})
      for (double share = 0.04; share < 0.9; share += 0.06)
        choices.push_back({from.x + share * length * std::cos(angle) + above * std::sin(angle),
                           from.y + share * length * std::sin(angle) - above * std::cos(angle),
                           line.label, small_text, Anchor::start, angle * 180 / std::numbers::pi,
                           "ink label"});
    return choices;
  }

  /// At the right end, or further left as far as the line is flat, above it or below.
  std::vector<Text> at_end(const Line& line) const {
    const Position end = px_of(line.path.back());
    const Position corner = px_of(line.path[line.path.size() - 2]);
    const double width = text_width(line.label, small_text);
    std::vector<Text> choices;
    for (const double offset : {-5.0, 13.0})
      for (double x = end.x - 4; x == end.x - 4 || x - width > corner.x; x -= 24)
        choices.push_back({x, end.y + offset, line.label, small_text, Anchor::end, 0, "ink label"});
    return choices;
  }

  std::vector<Text> at_foot(const Line& line) const {
    const Position foot = px_of(line.path.back());
    std::vector<Text> choices;
    for (double y = foot.y - 6; y > foot.y - 120; y -= 14)
      for (const Anchor anchor : {Anchor::start, Anchor::end})
        choices.push_back({foot.x + (anchor == Anchor::start ? 4 : -4), y, line.label, small_text,
                           anchor, 0, "ink label"});
    return choices;
  }

  void take(const Text& text) {
    scene_.texts.push_back(text);
    obstacles_.texts.push_back(text);
  }

  /// Large ones first, so that small ones are seen.
  std::vector<std::size_t> marks_by_share() const {
    std::vector<std::size_t> order(plot_.marks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return plot_.marks[a].share > plot_.marks[b].share;
    });
    return order;
  }

  void draw_marks() {
    const std::vector<std::size_t> order = marks_by_share();
    for (std::size_t i = 0; i < order.size(); ++i)
      draw_joins(plot_.marks[order[i]], i < most_joined);
    for (const std::size_t i : order) draw(plot_.marks[i]);
  }

  /// Lines from a mark to its other values, below all marks.
  void draw_joins(const Mark& mark, bool to_bound) {
    const Position at = px_of(mark.at);
    const auto join = [&](const Position& to) {
      draw_line(scene_, at, to, "join");
      add_line(obstacles_, at, to);
    };
    if (plot_.stems) draw_line(scene_, {at.x, bottom()}, at, "stem");
    if (mark.measured_y) join({at.x, y_(*mark.measured_y)});
    if (mark.l2_x) join({x_(*mark.l2_x), at.y});
    if (!mark.bound_y || !to_bound) return;
    join({at.x, y_(*mark.bound_y)});
    draw_symbol(scene_, Symbol::circle, {at.x, y_(*mark.bound_y)}, 2.4, "dot");
  }

  void draw(const Mark& mark) {
    const Position at = px_of(mark.at);
    const double radius = radius_of(mark);
    begin_layer(scene_, mark.hover, mark.link, style_);
    if (mark.l2_x)
      draw_symbol(scene_, mark.symbol, {x_(*mark.l2_x), at.y}, 4, css_name(mark.colour));
    draw_symbol(scene_, mark.symbol, at, radius, css_name(mark.colour));
    if (mark.measured_y) {
      const Position measured{at.x, y_(*mark.measured_y)};
      const double open = std::clamp(radius * 0.6, 3.0, 7.0);
      draw_symbol(scene_, Symbol::circle, measured, open, "c-paper");
      obstacles_.marks.push_back({measured.x - open, measured.y - open, 2 * open, 2 * open});
    }
    end_layer(scene_, mark.link, style_);
    const double half = radius * 0.85;
    obstacles_.marks.push_back({at.x - half, at.y - half, 2 * half, 2 * half});
  }

  std::vector<std::string> mark_labels() const {
    std::vector<std::string> labels;
    for (const Mark& mark : plot_.marks) labels.push_back(mark.label);
    return labels;
  }

  void label_marks() {
    double named = 0;
    std::size_t count = 0;
    const std::vector<std::string> names = short_labels(mark_labels(), mark_label_columns);
    for (const std::size_t i : marks_by_share()) {
      const Mark& mark = plot_.marks[i];
      const bool alone = plot_.marks.size() == 1;
      if (count == most_marks_named || named > named_share ||
          (mark.share < least_named_share && !alone))
        return;
      if (mark.label.empty()) continue;
      named += mark.share;
      const Position at = px_of(mark.at);
      const LabelRequest request{names[i], at.x, at.y, 1.2 * radius_of(mark),
                                 alone || mark.share > important_share};
      const auto label = place_label(request, obstacles_);
      if (!label) continue;
      ++count;
      if (label->leader) {
        draw_line(scene_, (*label->leader)[0], (*label->leader)[1], "leader");
        add_line(obstacles_, (*label->leader)[0], (*label->leader)[1]);
      }
      take(label->text);
    }
  }

  Scene& scene_;
  const Plot& plot_;
  Box frame_;
  SvgStyle style_;
  Scale x_;
  Scale y_;
  Obstacles obstacles_;
};

}  // namespace

double draw_plot(Scene& scene, const Plot& plot, const Box& area, const SvgStyle& style) {
  const Box frame{area.x + left_margin, area.y, area.width - left_margin - right_margin,
                  plot_height};
  PlotDrawing(scene, plot, frame, style).draw();
  return area.y + plot_height + 46;
}

}  // namespace roofline
