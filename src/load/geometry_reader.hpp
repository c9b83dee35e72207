#pragma once

// The shapes of a layer: its operands, its window and its output.

#include <string>

#include "load/json_value.hpp"
#include "load/layer_reader.hpp"

namespace roofline {

/// Fills inputs, window, groups, bias and output of `layer`, whose kind is set. Throws InputError
/// and OverflowError.
void read_geometry(ObjectReader& object, std::optional<std::uint8_t> rank, const LayerScope& scope,
                   Layer& layer);

/// "; padding 2 gives 256" where a symmetric padding of a window of stride 1 would give `wanted`.
std::string padding_hint(const Layer& layer, std::size_t axis, std::uint64_t wanted);

}  // namespace roofline
