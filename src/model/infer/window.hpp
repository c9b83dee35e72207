#pragma once

// Layers that slide a window: convolutions and pools.

#include "model/infer/operands.hpp"

namespace roofline {

/// Fills inputs, window, groups, bias and output. Fails with a FieldFailure.
void infer_convolution(const LayerSpec& spec, const LayerScope& scope, Layer& layer);
void infer_pool(const LayerSpec& spec, const LayerScope& scope, Layer& layer);

/// "; padding 2 gives 256" where a symmetric padding of a window of stride 1 would give `wanted`.
std::string padding_hint(const Layer& layer, std::size_t axis, std::uint64_t wanted);

}  // namespace roofline
