#pragma once

// What builders of several families do alike.

#include <optional>
#include <utility>

#include "operators/names.hpp"
#include "operators/operation.hpp"

namespace roofline {

/// The sizes of the first operand; none without one.
inline Sizes first_sizes(const Operation& operation) {
  return operation.operands.empty() ? Sizes{} : operation.operands.front().sizes;
}

/// A layer that reads the first operand in these sizes. nullopt for one without a known type or
/// without elements.
inline std::optional<LayerSpec> layer_of(const Operation& operation, LayerKind kind,
                                         const Sizes& sizes) {
  if (operation.operands.empty()) return std::nullopt;
  const Tensor& input = operation.operands.front();
  if (!input.type || element_count(input.sizes) == 0) return std::nullopt;
  LayerSpec spec;
  spec.kind = kind;
  spec.pass = operation.pass;
  spec.input = operand_of(input, sizes);
  spec.dtypes.input = input.type;
  spec.dtypes.output = operation.row->writes;
  if (!spec.dtypes.output && !operation.results.empty())
    spec.dtypes.output = operation.results.front().type;
  return spec;
}

/// A layer that reads each operand, in its own type, and writes the results, which else are as
/// large as the operands broadcast. Its type is that of the arithmetic, or the first operand's.
Layers traffic(const Operation& operation);

/// The second operand's, if there is one.
inline void set_weight_type(const Operation& operation, LayerSpec& spec) {
  if (operation.operands.size() > 1) spec.dtypes.weight = operation.operands[1].type;
}

inline Layers named(const Operation& operation, LayerSpec spec) {
  spec.name = name_by_sizes(operation, spec);
  Layers layers;
  layers.push_back(std::move(spec));
  return layers;
}

}  // namespace roofline
