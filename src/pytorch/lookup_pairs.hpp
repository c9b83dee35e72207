#pragma once

// Which look-up of FBGEMM a backward function is of: the function has the gradient alone, the
// look-up the indices.

#include <cstdint>
#include <unordered_map>

#include "pytorch/operator_arguments.hpp"
#include "pytorch/recording.hpp"

namespace roofline {

/// Index in Recording::arguments of the look-up for each backward function, both as indices in
/// Recording::operators. Gradients come in the opposite order of the look-ups.
std::unordered_map<std::uint32_t, std::uint32_t> pair_lookups(const Recording& recording,
                                                              ArgumentCache& arguments);

}  // namespace roofline
