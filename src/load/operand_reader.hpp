#pragma once

// Where a layer's operands come from: its own sizes, an earlier layer, or a parameter.

#include <optional>

#include "load/json_value.hpp"
#include "load/layer_reader.hpp"
#include "load/shape_reader.hpp"

namespace roofline {

/// The one operand of a layer that has one. `rank` as in read_shape.
Operand read_operand(ObjectReader& object, const LayerScope& scope,
                     std::optional<std::uint8_t> rank, Features features);

/// The operands of add, mul and concat.
std::vector<Operand> read_operands(ObjectReader& object, const LayerScope& scope);

/// The batch that the layer states or takes from its file or the command line. `shape_batch` is the
/// one its shape states, if any.
std::uint64_t read_batch(ObjectReader& object, const LayerScope& scope,
                         std::optional<std::uint64_t> shape_batch);

}  // namespace roofline
