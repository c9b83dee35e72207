#include <algorithm>
#include <array>

#include "pytorch/access.hpp"
#include "pytorch/layer_parts.hpp"
#include "pytorch/rules.hpp"

// Functions of each element: activations, arithmetic, comparisons, and what only writes.

namespace roofline {
namespace {

std::vector<LayerSpec> function_layer(LayerKind kind, const OperatorCall& call,
                                      const TensorArgument* tensor, Pass pass = Pass::fwd) {
  if (tensor == nullptr || !tensor->type || element_count(tensor->sizes) == 0) return {};
  // One value for a whole axis is read once and written as often as the axis is long.
  if (const Sizes stored = tensor->stored_sizes(); stored != tensor->sizes)
    return traffic_layer(call, {{tensor}, tensor->sizes}, *tensor->type);
  const std::string_view what =
      kind == LayerKind::elementwise ? base_name(call.name) : info(kind).name;
  LayerSpec spec = named_layer(kind, what, sizes_text(tensor->sizes), *tensor->type, pass);
  spec.input = whole_operand(tensor->sizes);
  if (kind != LayerKind::softmax) spec.access = access_of({tensor});
  return {spec};
}

template <LayerKind kind>
std::vector<LayerSpec> activation(const OperatorCall& call) {
  return function_layer(kind, call, call.arguments->tensor(0));
}

/// (gradient, saved input or output, ...).
template <LayerKind kind>
std::vector<LayerSpec> activation_backward(const OperatorCall& call) {
  return function_layer(kind, call, call.arguments->tensor(0), Pass::dgrad);
}

/// Clamping at 0, and between 0 and 6, are activations with names of their own.
LayerKind clamp_kind(std::optional<double> least, std::optional<double> most) {
  if (least == 0.0 && !most) return LayerKind::relu;
  return least == 0.0 && most == 6.0 ? LayerKind::relu6 : LayerKind::elementwise;
}

std::vector<LayerSpec> clamp(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  return function_layer(clamp_kind(a.number(1), a.number(2)), call, a.tensor(0));
}

std::vector<LayerSpec> clamp_min(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  return function_layer(clamp_kind(a.number(1), std::nullopt), call, a.tensor(0));
}

/// (gradient, input, least, most).
std::vector<LayerSpec> hardtanh_backward(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  return function_layer(clamp_kind(a.number(2), a.number(3)), call, a.tensor(0), Pass::dgrad);
}

/// Along one axis of the tensor: batches of rows of that length.
std::vector<LayerSpec> softmax_layer(const OperatorCall& call, std::size_t axis_at, Pass pass) {
  const OperatorArguments& a = *call.arguments;
  const TensorArgument* tensor = a.tensor(0);
  const auto axis = a.integer(axis_at);
  auto layers = function_layer(LayerKind::softmax, call, tensor, pass);
  if (layers.empty() || !axis) return {};
  const auto rank = static_cast<std::int64_t>(tensor->sizes.size());
  const std::int64_t from_front = *axis < 0 ? *axis + rank : *axis;
  if (from_front < 0 || from_front >= rank) return {};
  const auto at = tensor->sizes.begin() + from_front;
  Sizes sizes{element_count(Sizes(tensor->sizes.begin(), at)), *at};
  if (const std::uint64_t inner = element_count(Sizes(at + 1, tensor->sizes.end())); inner > 1)
    sizes.push_back(inner);
  layers.front().input = whole_operand(sizes);
  return layers;
}

/// (input, axis, half_to_float).
std::vector<LayerSpec> softmax_forward(const OperatorCall& call) {
  auto layers = softmax_layer(call, 1, Pass::fwd);
  if (!layers.empty() && call.arguments->flag(2).value_or(false))
    layers.front().dtypes.output = DataType::fp32;
  return layers;
}

/// (gradient, output, axis, type of the input).
std::vector<LayerSpec> softmax_backward(const OperatorCall& call) {
  return softmax_layer(call, 2, Pass::dgrad);
}

/// All tensors of the call, one at least, are read and a result that they broadcast to is written.
std::vector<LayerSpec> arithmetic(const OperatorCall& call, const Sizes& result, DataType type) {
  return traffic_layer(call, {tensors_of(call), result}, type);
}

/// A function of several tensors without a kind of its own; the first one's type is the result's.
std::vector<LayerSpec> several(const OperatorCall& call) {
  const std::vector<const TensorArgument*> tensors = tensors_of(call);
  if (tensors.empty() || !tensors.front()->type) return {};
  if (tensors.size() == 1) return function_layer(LayerKind::elementwise, call, tensors.front());
  return arithmetic(call, broadcast_sizes(tensors), *tensors.front()->type);
}

/// add, sub, mul, div of two tensors; with a number in place of one, a function of the other.
template <LayerKind kind>
std::vector<LayerSpec> combination(const OperatorCall& call) {
  const TensorArgument* first = call.arguments->tensor(0);
  const TensorArgument* second = call.arguments->tensor(1);
  if (first == nullptr && call.arguments->is_tensor(0)) {
    LayerSpec spec =
        named_layer(LayerKind::elementwise, base_name(call.name), "of one value", DataType::fp32);
    spec.input = whole_operand({1});
    return {spec};
  }
  if (first == nullptr || second == nullptr)
    return function_layer(LayerKind::elementwise, call, first != nullptr ? first : second);
  if (!first->type || !second->type) return {};
  const std::vector<OperandSpec> operands = broadcast_operands({first, second});
  if (operands.empty()) return several(call);
  const TensorArgument& larger =
      element_count(second->sizes) > element_count(first->sizes) ? *second : *first;
  LayerSpec spec = named_layer(kind, info(kind).name, sizes_text(larger.sizes), *larger.type);
  if (first->sizes != second->sizes)
    spec.name = *spec.name + " and " + sizes_text((&larger == first ? second : first)->sizes);
  spec.inputs = operands;
  spec.access = access_of({first, second});
  return {spec};
}

/// A comparison writes one byte an element.
std::vector<LayerSpec> comparison(const OperatorCall& call) {
  const TensorArgument* first = call.arguments->tensor(0);
  if (call.arguments->tensor(1) != nullptr) {
    const std::vector<const TensorArgument*> tensors = tensors_of(call);
    if (!tensors.front()->type) return {};
    auto layers = arithmetic(call, broadcast_sizes(tensors), *tensors.front()->type);
    for (LayerSpec& layer : layers) layer.dtypes.output = DataType::int8;
    return layers;
  }
  auto layers = function_layer(LayerKind::elementwise, call, first);
  for (LayerSpec& layer : layers) layer.dtypes.output = DataType::int8;
  return layers;
}

/// (input, probability, training): writes a mask of a byte an element too.
std::vector<LayerSpec> dropout(const OperatorCall& call) {
  const TensorArgument* input = call.arguments->tensor(0);
  if (input == nullptr || !input->type) return {};
  return traffic_layer(call, {{input}, input->sizes}, *input->type, 1);
}

/// Fills and random numbers: nothing is read.
std::vector<LayerSpec> filling(const OperatorCall& call) {
  const OperatorArguments& a = *call.arguments;
  if (!a.is_tensor(0)) return {};
  const TensorArgument* tensor = a.tensor(0);
  if (tensor != nullptr && !tensor->type) return {};
  return traffic_layer(call, {{}, tensor != nullptr ? tensor->sizes : Sizes{1}},
                       tensor != nullptr ? *tensor->type : DataType::fp32);
}

constexpr auto function_table = [] {
  using enum LayerKind;
  return std::to_array<NamedRule>({
      {"relu", activation<relu>},
      {"threshold_backward", activation_backward<relu>},
      {"clamp", clamp},
      {"clamp_min", clamp_min},
      {"hardtanh", clamp},
      {"hardtanh_backward", hardtanh_backward},
      {"leaky_relu", activation<leaky_relu>},
      {"leaky_relu_backward", activation_backward<leaky_relu>},
      {"_prelu_kernel", activation<prelu>},
      {"_prelu_kernel_backward", activation_backward<prelu>},
      {"elu", activation<elu>},
      {"elu_backward", activation_backward<elu>},
      {"sigmoid", activation<sigmoid>},
      {"sigmoid_backward", activation_backward<sigmoid>},
      {"hardsigmoid", activation<hardsigmoid>},
      {"hardsigmoid_backward", activation_backward<hardsigmoid>},
      {"tanh", activation<LayerKind::tanh>},
      {"tanh_backward", activation_backward<LayerKind::tanh>},
      {"silu", activation<silu>},
      {"silu_backward", activation_backward<silu>},
      {"hardswish", activation<hardswish>},
      {"hardswish_backward", activation_backward<hardswish>},
      {"gelu", activation<gelu>},
      {"gelu_backward", activation_backward<gelu>},
      {"mish", activation<elementwise>},
      {"mish_backward", activation_backward<elementwise>},
      {"softplus", activation<elementwise>},
      {"softplus_backward", activation_backward<elementwise>},
      {"log_sigmoid_forward", activation<elementwise>},
      {"log_sigmoid_backward", activation_backward<elementwise>},
      {"_softmax", softmax_forward},
      {"_log_softmax", softmax_forward},
      {"_softmax_backward_data", softmax_backward},
      {"_log_softmax_backward_data", softmax_backward},
      {"add", combination<add>},
      {"sub", combination<sub>},
      {"rsub", combination<sub>},
      {"mul", combination<mul>},
      {"div", combination<LayerKind::div>},
      {"eq", comparison},
      {"ne", comparison},
      {"lt", comparison},
      {"le", comparison},
      {"gt", comparison},
      {"ge", comparison},
      {"isnan", comparison},
      {"isinf", comparison},
      {"isfinite", comparison},
      {"logical_not", comparison},
      {"native_dropout", dropout},
      {"native_dropout_backward", several},
      {"fill", filling},
      {"zero", filling},
      {"bernoulli", filling},
      {"uniform", filling},
      {"normal", filling},
      {"random", filling},
      {"exponential", filling},
      {"abs", several},
      {"addcdiv", several},
      {"addcmul", several},
      {"atan2", several},
      {"bitwise_and", several},
      {"bitwise_not", several},
      {"bitwise_or", several},
      {"bitwise_xor", several},
      {"ceil", several},
      {"clamp_max", several},
      {"cos", several},
      {"cumsum", activation<elementwise>},
      {"cumprod", activation<elementwise>},
      {"erf", several},
      {"erfc", several},
      {"exp", several},
      {"exp2", several},
      {"expm1", several},
      {"floor", several},
      {"floor_divide", several},
      {"fmod", several},
      {"lerp", several},
      {"log", several},
      {"log10", several},
      {"log1p", several},
      {"log2", several},
      {"logical_and", several},
      {"logical_or", several},
      {"logical_xor", several},
      {"masked_fill", several},
      {"maximum", several},
      {"minimum", several},
      {"nan_to_num", several},
      {"neg", several},
      {"pow", several},
      {"reciprocal", several},
      {"remainder", several},
      {"round", several},
      {"rsqrt", several},
      {"sgn", several},
      {"sign", several},
      {"sin", several},
      {"sqrt", several},
      {"square", several},
      {"tril", several},
      {"triu", several},
      {"trunc", several},
      {"where", several},
      {"mse_loss", several},
      {"smooth_l1_loss", several},
      {"huber_loss", several},
      {"binary_cross_entropy", several},
      {"mse_loss_backward", several},
      {"smooth_l1_loss_backward", several},
      {"binary_cross_entropy_backward", several},
  });
}();

}  // namespace

std::span<const NamedRule> function_rules() { return function_table; }

}  // namespace roofline
