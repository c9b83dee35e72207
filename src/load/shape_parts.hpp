#pragma once

// Shapes of tensors as recordings state them, whole, and as operands of LayerSpecs.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "roofline/spec.hpp"

namespace roofline {

using Sizes = std::vector<std::uint64_t>;

/// Product of the sizes; 1 for none. It stays at the largest value where it would exceed 64 bits.
std::uint64_t element_count(const Sizes& sizes);

/// "32x64x112x112".
std::string sizes_text(const Sizes& sizes);

/// How many sizes an operand has: the batch, the channels and up to three positions.
inline constexpr std::size_t fewest_operand_sizes = 2;
inline constexpr std::size_t most_operand_sizes = 5;

/// A tensor as an operand, sizes beyond five merged at the front. Without sizes for a tensor that
/// has no elements.
OperandSpec whole_operand(const Sizes& sizes);

/// Numbers of a window, as a list.
AxesSpec axes_of(Sizes numbers);

}  // namespace roofline
