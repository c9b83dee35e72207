#pragma once

// Where the names of marks and lines go, so that none covers another.

#include <optional>
#include <string>
#include <vector>

#include "report/chart/scene.hpp"

namespace roofline {

/// What labels keep off.
struct Obstacles {
  Box bounds;               ///< labels stay within
  std::vector<Text> texts;  ///< never covered
  std::vector<Box> marks;   ///< never covered by names of marks
  std::vector<Box> lines;   ///< covered only where there is no other place
};

/// Boxes along a stretch of a line.
void add_line(Obstacles& obstacles, Position from, Position to);

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

/// The first place that is free; none where there is none. The caller adds what it takes.
std::optional<PlacedLabel> place_label(const LabelRequest& request, const Obstacles& obstacles);

/// The first of these places of a text that is free; marks are covered rather than the text left
/// out.
std::optional<Text> place_text(const std::vector<Text>& choices, const Obstacles& obstacles);

}  // namespace roofline
