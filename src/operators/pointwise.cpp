// Functions of the elements of one tensor. Those of several tensors are still with the readers.

#include <span>

#include "operators/building.hpp"
#include "operators/operation.hpp"
#include "operators/strides.hpp"
#include "operators/table.hpp"

namespace roofline {
namespace {

Layers function_of(LayerKind kind, const Operation& operation) {
  auto spec = layer_of(operation, kind, first_sizes(operation));
  if (!spec) return {};
  spec->access = access_of({&operation.operands.front()});
  return named(operation, *spec);
}

Layers function(const Operation& operation) { return function_of(operation.row->kind, operation); }

/// Clamping at 0, and between 0 and 6, are named activations.
Layers clamp(const Operation& operation) {
  const auto& [least, most] = operation.attributes.bounds;
  LayerKind kind = LayerKind::elementwise;
  if (least == 0.0 && !most) kind = LayerKind::relu;
  if (least == 0.0 && most == 6.0) kind = LayerKind::relu6;
  return function_of(kind, operation);
}

}  // namespace

std::span<const OperatorRow> pointwise_operators() {
  using enum LayerKind;
  // The operand of a gradient is the result's, with the saved input or output behind it.
  static constexpr OperatorRow rows[] = {
      {"relu", function, relu, "Relu", "relu threshold_backward: input"},
      {"relu6", function, relu6, "", "relu6: input"},
      {"clamp", clamp, elementwise, "Clip",
       "clamp hardtanh clamp_min: input least most;hardtanh_backward: input - least most"},
      {"leaky_relu", function, leaky_relu, "LeakyRelu", "leaky_relu leaky_relu_backward: input"},
      {"prelu", function, prelu, "PRelu", "_prelu_kernel _prelu_kernel_backward prelu: input"},
      {"elu", function, elu, "Celu Elu Selu", "elu elu_backward selu celu: input"},
      {"sigmoid", function, sigmoid, "Sigmoid", "sigmoid sigmoid_backward: input"},
      {"hardsigmoid", function, hardsigmoid, "HardSigmoid",
       "hardsigmoid hardsigmoid_backward: input"},
      {"tanh", function, LayerKind::tanh, "Tanh", "tanh tanh_backward: input"},
      {"silu", function, silu, "Swish", "silu silu_backward: input"},
      {"hardswish", function, hardswish, "HardSwish", "hardswish hardswish_backward: input"},
      {"gelu", function, gelu, "BiasGelu FastGelu Gelu QuickGelu", "gelu gelu_backward: input"},
      {"local_response_norm", function, local_response_norm, "LRN"},
      // A norm that has no kind is one function of the elements, as far as we know.
      {"function", function, elementwise,
       "Abs Acos Acosh Asin Asinh Atan Atanh BitwiseNot Ceil Cos Cosh Erf Exp Floor IsInf IsNaN "
       "Log "
       "LpNormalization MeanVarianceNormalization Mish Neg Not Reciprocal Round Shrink Sign Sin "
       "Sinh Softplus Softsign Sqrt Tan ThresholdedRelu",
       "mish mish_backward softplus softplus_backward log_sigmoid_forward log_sigmoid_backward: "
       "input"},
      {"rowwise", function, rowwise, "CumProd CumSum Trilu", "cumsum cumprod tril triu: input"},
  };
  return rows;
}

}  // namespace roofline
