#include <algorithm>

#include "pytorch/operator_readers.hpp"

// Functions of each element: activations, arithmetic, comparisons, and what only writes.

namespace roofline {
namespace {

Layers function_layer(LayerKind kind, const OperatorCall& call, const TensorArgument* tensor,
                      Pass pass = Pass::fwd) {
  if (tensor == nullptr || !tensor->type || element_count(tensor->sizes) == 0) return {};
  // One value for a whole axis is read once and written as often as the axis is long.
  if (const Sizes stored = tensor->stored_sizes(); stored != tensor->sizes)
    return traffic_layer(call, {tensor}, tensor->sizes, *tensor->type);
  const std::string_view what =
      kind == LayerKind::elementwise ? base_name(call.name) : info(kind).name;
  LayerSpec spec = named_layer(kind, what, sizes_text(tensor->sizes), *tensor->type, pass);
  spec.input = operand_of(*tensor, tensor->sizes);
  if (kind != LayerKind::softmax) spec.access = access_of({tensor});
  return {spec};
}

/// All tensors of the call, one at least, are read and what they broadcast to is written.
Layers broadcast_traffic(const OperatorCall& call) {
  const std::vector<const TensorArgument*> tensors = call.arguments->tensors();
  if (!tensors.front()->type) return {};
  return traffic_layer(call, tensors, broadcast_sizes(tensors), *tensors.front()->type);
}

}  // namespace

/// A function of the first tensor, which in an operator of gradients the saved input or output
/// follows.
Layers function(const OperatorCall& call, const OperatorRow& row) {
  return function_layer(row.kind, call, call.arguments->tensor(row.at.input), pass_of(call));
}

/// Clamping at 0, and between 0 and 6, are activations with names of their own.
Layers clamp(const OperatorCall& call, const OperatorRow& row) {
  const auto least = call.arguments->number(row.at.flag);
  const auto most = call.arguments->number(row.at.flag + 1);
  LayerKind kind = LayerKind::elementwise;
  if (least == 0.0 && !most) kind = LayerKind::relu;
  if (least == 0.0 && most == 6.0) kind = LayerKind::relu6;
  return function_layer(kind, call, call.arguments->tensor(row.at.input), pass_of(call));
}

/// Along one axis of the tensor: batches of rows of that length.
Layers softmax(const OperatorCall& call, const OperatorRow& row) {
  const OperatorArguments& a = *call.arguments;
  const TensorArgument* tensor = a.tensor(row.at.input);
  Layers layers = function_layer(LayerKind::softmax, call, tensor, pass_of(call));
  if (layers.empty()) return {};
  const auto axis = axis_at(a.integer(row.at.axes), tensor->sizes.size());
  if (!axis) return {};
  const auto at = tensor->sizes.begin() + static_cast<std::ptrdiff_t>(*axis);
  Sizes sizes{element_count(Sizes(tensor->sizes.begin(), at)), *at};
  if (const std::uint64_t inner = element_count(Sizes(at + 1, tensor->sizes.end())); inner > 1)
    sizes.push_back(inner);
  layers.front().input = operand_of(*tensor, sizes);
  if (a.flag(row.at.flag).value_or(false)) layers.front().dtypes.output = DataType::fp32;
  return layers;
}

/// Functions without a kind of their own; the first tensor's type is the result's.
Layers function_of_several(const OperatorCall& call, const OperatorRow&) {
  const std::vector<const TensorArgument*> tensors = call.arguments->tensors();
  if (tensors.empty()) return {};
  return tensors.size() == 1 ? function_layer(LayerKind::elementwise, call, tensors.front())
                             : broadcast_traffic(call);
}

/// Arithmetic of two tensors; with a number in place of one, a function of the other.
Layers combination(const OperatorCall& call, const OperatorRow& row) {
  const TensorArgument* first = call.arguments->tensor(0);
  const TensorArgument* second = call.arguments->tensor(1);
  if (first == nullptr && call.arguments->is_tensor(0)) {
    LayerSpec spec = layer_of_one_value(LayerKind::elementwise, call);
    spec.input = whole_operand({1});
    return {spec};
  }
  if (first == nullptr || second == nullptr)
    return function_layer(LayerKind::elementwise, call, first != nullptr ? first : second);
  if (!first->type || !second->type) return {};
  const std::vector<OperandSpec> operands = broadcast_operands({first, second});
  if (operands.empty()) return broadcast_traffic(call);
  const TensorArgument& larger =
      element_count(second->sizes) > element_count(first->sizes) ? *second : *first;
  LayerSpec spec =
      named_layer(row.kind, info(row.kind).name, sizes_text(larger.sizes), *larger.type);
  if (first->sizes != second->sizes)
    *spec.name += " and " + sizes_text((&larger == first ? second : first)->sizes);
  spec.inputs = operands;
  spec.access = access_of({first, second});
  return {spec};
}

/// A comparison writes one byte an element.
Layers comparison(const OperatorCall& call, const OperatorRow&) {
  Layers layers = call.arguments->tensor(1) != nullptr
                      ? broadcast_traffic(call)
                      : function_layer(LayerKind::elementwise, call, call.arguments->tensor(0));
  for (LayerSpec& layer : layers) layer.dtypes.output = DataType::int8;
  return layers;
}

/// Writes a mask of a byte an element too.
Layers dropout(const OperatorCall& call, const OperatorRow& row) {
  const TensorArgument* input = typed_tensor(call, row.at.input);
  if (input == nullptr) return {};
  return traffic_layer(call, {input}, input->sizes, *input->type, 1);
}

/// Constants and random numbers: nothing is read.
Layers filling(const OperatorCall& call, const OperatorRow&) {
  if (!call.arguments->is_tensor(0)) return {};
  const TensorArgument* tensor = call.arguments->tensor(0);
  if (tensor == nullptr) return traffic_layer(call, {}, {1}, DataType::fp32);
  if (!tensor->type) return {};
  return traffic_layer(call, {}, tensor->sizes, *tensor->type);
}

}  // namespace roofline
