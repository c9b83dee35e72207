#include "report/chart/labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace roofline {
namespace {

constexpr double mark_gap = 4;
constexpr double near = 24;

/// What a text may cover for want of a better place.
enum class Cover : std::uint8_t { nothing, lines, marks };

bool is_free(const Text& text, const Obstacles& obstacles, Cover cover) {
  for (const Box& box : boxes_of(text)) {
    const auto hits = [&](const Box& other) { return overlap(box, other); };
    if (!contains(obstacles.bounds, box)) return false;
    if (cover != Cover::marks && std::any_of(obstacles.marks.begin(), obstacles.marks.end(), hits))
      return false;
    if (cover == Cover::nothing &&
        std::any_of(obstacles.lines.begin(), obstacles.lines.end(), hits))
      return false;
  }
  return std::none_of(obstacles.texts.begin(), obstacles.texts.end(),
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

}  // namespace

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

std::optional<Text> place_text(const std::vector<Text>& choices, const Obstacles& obstacles) {
  for (const Cover cover : {Cover::nothing, Cover::lines, Cover::marks})
    for (const Text& text : choices)
      if (is_free(text, obstacles, cover)) return text;
  return std::nullopt;
}

}  // namespace roofline
