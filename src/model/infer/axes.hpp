#pragma once

// Shapes and numbers for each axis, from the lists in which sources state them.

#include <optional>
#include <string>
#include <vector>

#include "roofline/layer.hpp"
#include "roofline/spec.hpp"

namespace roofline {

struct StatedShape {
  Shape shape;
  bool has_batch = false;
};

/// How a list of sizes is to be read.
struct ShapeForm {
  std::optional<std::uint8_t> rank;  ///< spatial axes, if the layer fixes them; without it 1 number
                                     ///< is [C], 2 [N, C], 3 [C, H, W], 4 [N, C, H, W], 5 with D
  Features features = Features::first;
  bool whole = false;  ///< the batch stands first, always
};

/// A list of sizes of field `field` (at `index`). Fails where it has no such form.
StatedShape read_shape(const std::vector<std::uint64_t>& sizes, const ShapeForm& form,
                       std::string_view field, const std::vector<std::size_t>& index = {});

/// The fields under which numbers of the axes may stand.
struct AxesFields {
  std::string_view all;
  std::string_view height;
  std::string_view width;
};

/// Numbers of a window in either spelling; none where neither is given. Fails where both are, or
/// where they do not fit the rank.
std::optional<Axes> read_axes(const AxesSpec& spec, std::uint8_t rank, const AxesFields& fields,
                              std::uint64_t neutral);

/// "[1, 3, 224, 224]"
std::string to_text(const Shape& shape);
/// "[1,3,224,224]", as JSON has it.
std::string list_text(const std::vector<std::uint64_t>& sizes);
/// "depth", "height" or "width".
std::string axis_name(std::size_t axis);

}  // namespace roofline
