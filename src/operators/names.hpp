#pragma once

// Names of layers: of an operation by its sizes ("softmax 8x128x64"), for sources without names,
// and by modules ("layer1.0.conv1").

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "model/layer_fields.hpp"
#include "operators/operation.hpp"

namespace roofline {

/// "sum 32x64 to 32x1", "group_norm 32x64x7x7 g8": `spec` is the operation's layer.
std::string name_by_sizes(const Operation& operation, const LayerSpec& spec);

struct LayerOrigin {
  std::string module;  ///< path in the network; empty at the top
  std::string label;   ///< the layer's name within the module
  LayerKind kind;
  std::string part = {};     ///< "scores", if the operation becomes several layers
  bool is_own_name = false;  ///< the operation's own name, for lack of a module
};

/// The module's name (`layer1.0.conv1`), with the label if the module has layers of other labels
/// and the layer is not its only convolution or product.
std::vector<std::string> names_by_module(const std::vector<LayerOrigin>& origins);

/// Names the layers, and those that operands come from.
template <class Specs>
void name_layers(Specs& layers, const std::vector<LayerOrigin>& origins) {
  const std::vector<std::string> names = names_by_module(origins);
  for (std::size_t i = 0; i < names.size(); ++i) layers[i].name = names[i];
  for (LayerSpec& layer : layers)
    for (OperandSpec* operand : operands_of(layer))
      if (operand->producer) operand->layer = names[*std::exchange(operand->producer, {})];
}

}  // namespace roofline
