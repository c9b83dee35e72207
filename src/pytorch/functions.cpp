#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "operators/table.hpp"
#include "pytorch/operator_table.hpp"

// Elementwise functions: activations, arithmetic, comparisons, and fills.

namespace roofline {
namespace {

/// Reads a value once that is repeated along an axis.
Layers function_of(const Operation& operation, const OperatorCall& call,
                   const TensorArgument& tensor) {
  if (tensor.type && element_count(tensor.sizes) > 0 && tensor.stored_sizes() != tensor.sizes)
    return traffic_layer(call, {&tensor}, tensor.sizes, *tensor.type);
  return operation.row->build(operation);
}

Layers function_without_kind(const OperatorCall& call, const TensorArgument* tensor) {
  if (tensor == nullptr) return {};
  return function_of(
      {.row = find_row("function"), .operands = {*tensor}, .called = base_name(call.name)}, call,
      *tensor);
}

/// Functions without a kind; the result has the first tensor's type.
Layers function_of_several(const OperatorCall& call) {
  const std::vector<const TensorArgument*> tensors = tensors_in(*call.arguments);
  if (tensors.empty()) return {};
  return tensors.size() == 1 ? function_without_kind(call, tensors.front())
                             : broadcast_traffic(call);
}

/// Recordings write a number as a tensor without axes, in the widest type of its kind.
const TensorArgument* tensor_or_value(const Argument& argument, const Argument& other) {
  if (!argument.is_tensor() || argument.tensor() != nullptr) return argument.tensor();
  const TensorArgument& value = argument.tensors.front();
  const bool is_number = value.type == DataType::fp64 || value.type == DataType::int64;
  const bool is_alike = other.is_tensor() && other.tensors.front().type == value.type;
  return is_number && !is_alike ? nullptr : &value;
}

/// Writes one byte an element.
Layers comparison(const OperatorCall& call) {
  Layers layers = argument_at(*call.arguments, 1).tensor() != nullptr
                      ? broadcast_traffic(call)
                      : function_without_kind(call, argument_at(*call.arguments, 0).tensor());
  for (LayerSpec& layer : layers) layer.dtypes.output = DataType::boolean;
  return layers;
}

/// Writes a mask of a byte an element too.
Layers dropout(const OperatorCall& call) {
  const TensorArgument* input = call["input"].typed_tensor();
  if (input == nullptr) return {};
  return traffic_layer(call, {input},
                       {{input->sizes, *input->type}, {input->sizes, DataType::boolean}});
}

/// Constants and random numbers: nothing is read.
Layers filling(const OperatorCall& call) {
  if (!argument_at(*call.arguments, 0).is_tensor()) return {};
  const TensorArgument* tensor = argument_at(*call.arguments, 0).tensor();
  if (tensor == nullptr) return traffic_layer(call, {}, {1}, DataType::fp32);
  if (!tensor->type) return {};
  return traffic_layer(call, {}, tensor->sizes, *tensor->type);
}

}  // namespace

Layers function_layers(const OperatorCall& call) {
  const TensorArgument* tensor = call["input"].tensor();
  if (tensor == nullptr) return {};
  return function_of({.row = call.row,
                      .operands = {*tensor},
                      .attributes = {.bounds = {call["least"].number(), call["most"].number()}},
                      .pass = call.pass(),
                      .called = base_name(call.name)},
                     call, *tensor);
}

Layers combination_layers(const OperatorCall& call) {
  const Argument& a = call["input"];
  const Argument& b = call["other"];
  const TensorArgument* first = tensor_or_value(a, b);
  const TensorArgument* second = tensor_or_value(b, a);
  if (a.tensor() == nullptr && b.tensor() == nullptr)
    return layer_of_one_value(LayerKind::elementwise, call);
  if (first == nullptr || second == nullptr)
    return function_without_kind(call, first != nullptr ? first : second);
  Operation operation{
      .row = call.row, .operands = {*first, *second}, .called = base_name(call.name)};
  operation.attributes.computed_in = promoted_type({first, second});
  if (!operation.attributes.computed_in) return {};
  Layers layers = operation.row->build(operation);
  return layers.empty() ? broadcast_traffic(call) : layers;
}

std::span<const CallRow> function_operators() {
  using enum LayerKind;
  static constexpr CallRow rows[] = {
      {"eq ne lt le gt ge isnan isinf isfinite logical_not", comparison, elementwise},
      {"native_dropout", dropout},
      {"fill zero bernoulli uniform normal random exponential", filling},
      {"__and_ __or_ __xor_ abs addcdiv addcmul atan2 bitwise_and bitwise_not bitwise_or "
       "bitwise_xor ceil clamp_max cos erf erfc exp exp2 expm1 floor floor_divide fmod lerp log "
       "log10 log1p log2 logical_and logical_or logical_xor masked_fill maximum minimum nan_to_num "
       "neg pow reciprocal remainder round rsqrt sgn sign sin sqrt square trunc where "
       "native_dropout_backward mse_loss smooth_l1_loss huber_loss binary_cross_entropy "
       "mse_loss_backward smooth_l1_loss_backward binary_cross_entropy_backward",
       function_of_several, elementwise},
  };
  return rows;
}

}  // namespace roofline
