#pragma once

// One layer: its shapes by its kind, and the checks that every layer passes.

#include <string>
#include <string_view>

#include "model/infer/operands.hpp"
#include "roofline/layer.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// Throws FieldFailure. `name` is the layer's own.
Layer infer_layer(const LayerSpec& spec, std::string name, const LayerScope& scope);

/// What a layer norm was taken over for want of a normalized_shape, where that could also be
/// something else; empty where nothing had to be assumed.
std::string_view norm_assumption(const LayerSpec& spec, const Layer& layer);

}  // namespace roofline
