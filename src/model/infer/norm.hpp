#pragma once

// What the statistics of a layer, group or instance norm span.

#include <string_view>

#include "roofline/layer.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// Fills norm_elements; the shapes are there.
void infer_norm(const LayerSpec& spec, Layer& layer);

/// What a layer norm was taken over for want of a normalized_shape, where that could also be
/// something else; empty where nothing had to be assumed.
std::string_view norm_assumption(const LayerSpec& spec, const Layer& layer);

}  // namespace roofline
