#pragma once

// The kernels of dense contractions, one row each.

#include <optional>

#include "kernel/dense/dense_formulas.hpp"

namespace roofline {

/// The fastest of the rows that take the layer, or of those that the mapping states, with its tile;
/// nullopt if the layer has no kernel of the stated algorithm. Throws InputError for a tile that
/// the GPU cannot run.
std::optional<DenseChoice> fastest_choice(const DenseContext& context);

/// Whether the library itself would consider the stated mapping.
bool is_in_library(const DenseContext& context);

}  // namespace roofline
