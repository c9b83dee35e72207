#pragma once

// Shapes and per-axis numbers in their several spellings.

#include <optional>

#include "load/json_value.hpp"
#include "roofline/layer.hpp"

namespace roofline {

struct ReadShape {
  Shape shape;
  bool has_batch = false;
};

/// Where the features stand in a list of sizes.
enum class Features : std::uint8_t {
  first,  ///< [C, spatial...] or [N, C, spatial...]
  last,   ///< [F], [N, F] or [N, positions..., F], as PyTorch's linear and layer_norm have it
};

/// A list of sizes. `rank` is the number of spatial axes, if the layer fixes it; without it 1
/// number is [C], 2 [N, C], 3 [C, H, W], 4 [N, C, H, W], 5 [N, C, D, H, W].
ReadShape read_shape(const Value& list, std::optional<std::uint8_t> rank, Features features);

/// One number for all `rank` axes or a list of `rank` numbers, each >= least.
Axes read_axes(const Value& value, std::uint8_t rank, std::uint64_t least, std::uint64_t neutral);

/// "[1, 3, 224, 224]"
std::string to_text(const Shape& shape);

/// "depth", "height" or "width".
std::string axis_name(std::size_t axis);

}  // namespace roofline
