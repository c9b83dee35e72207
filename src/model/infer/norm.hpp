#pragma once

// What the statistics of a layer, group or instance norm span.

#include "roofline/layer.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// Fills norm_elements; the shapes are there.
void infer_norm(const LayerSpec& spec, Layer& layer);

/// Whether an image's layer norm was taken over its channels for want of a normalized_shape, which
/// could also mean its last axis or all.
bool assumes_channels(const LayerSpec& spec, const Layer& layer);

}  // namespace roofline
