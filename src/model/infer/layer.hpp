#pragma once

// One layer: its shapes by its kind, and the checks that every layer passes.

#include <string>

#include "model/infer/operands.hpp"

namespace roofline {

/// Throws FieldFailure. `name` is the layer's own.
Layer infer_layer(const LayerSpec& spec, std::string name, const LayerScope& scope);

}  // namespace roofline
