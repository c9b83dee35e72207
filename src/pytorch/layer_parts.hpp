#pragma once

// Pieces of LayerSpecs that the rules have in common. Tensors become operands of two to five sizes,
// as the model counts them; a name says the shapes as the trace has them.

#include <initializer_list>
#include <string>

#include "pytorch/operator_call.hpp"

namespace roofline {

/// A layer of that kind with a name that begins with `what` and these sizes.
LayerSpec named_layer(LayerKind kind, std::string_view what, const std::string& shape_text,
                      DataType type, Pass pass = Pass::fwd);

/// Tensors that broadcast against each other, with as many sizes each. Empty where that takes more
/// than five.
std::vector<OperandSpec> broadcast_operands(const std::vector<const TensorArgument*>& tensors);

/// A layer that is known by the bytes it reads and writes: each tensor in elements of `type`.
struct Traffic {
  std::vector<const TensorArgument*> reads;
  Sizes writes;
};
std::vector<LayerSpec> traffic_layer(const OperatorCall& call, const Traffic& traffic,
                                     DataType type, std::uint64_t extra_byte_an_element = 0);

/// The sizes that broadcasting the tensors gives.
Sizes broadcast_sizes(const std::vector<const TensorArgument*>& tensors);

/// All tensors of the call, those of no axes left out.
std::vector<const TensorArgument*> tensors_of(const OperatorCall& call);

/// fp32 that ran through TF32 units is tf32.
DataType multiplied_type(const OperatorCall& call, DataType type);

}  // namespace roofline
