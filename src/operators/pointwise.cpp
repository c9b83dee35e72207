// Functions of the elements of one tensor, and arithmetic of several, which broadcast.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "model/ranges.hpp"
#include "operators/building.hpp"
#include "operators/operands.hpp"
#include "operators/operation.hpp"
#include "operators/strides.hpp"
#include "operators/table.hpp"

namespace roofline {
namespace {

/// A value that is repeated along an axis is read once.
Layers function_of(LayerKind kind, const Operation& operation) {
  if (operation.operands.empty()) return {};
  if (const Tensor& first = operation.operands.front(); first.stored_sizes() != first.sizes) {
    Operation alone = operation;
    alone.operands.resize(1);
    return traffic(alone);
  }
  auto spec = layer_of(operation, kind, first_sizes(operation));
  if (!spec) return {};
  spec->access = access_of({&operation.operands.front()});
  return named(operation, *spec);
}

Layers function(const Operation& operation) { return function_of(operation.row->kind, operation); }

/// Several tensors are counted by their bytes.
Layers function_without_kind(const Operation& operation) {
  return operation.operands.size() == 1 ? function(operation) : traffic(operation);
}

/// Clamping at 0, and between 0 and 6, are named activations.
Layers clamp(const Operation& operation) {
  const auto& [least, most] = operation.attributes.bounds;
  LayerKind kind = LayerKind::elementwise;
  if (least == 0.0 && !most) kind = LayerKind::relu;
  if (least == 0.0 && most == 6.0) kind = LayerKind::relu6;
  return function_of(kind, operation);
}

/// Operands in one rank, each in its own type; by their bytes if they have more axes than a layer
/// has, or one is empty.
Layers combination(const Operation& operation) {
  const std::vector<Tensor>& tensors = operation.operands;
  const auto sizes = in_one_rank(each_of(tensors, &Tensor::stored_sizes));
  if (!operation.attributes.computed_in) return {};
  if (!sizes) return traffic(operation);
  LayerSpec spec;
  spec.kind = operation.row->kind;
  spec.pass = operation.pass;
  spec.dtypes.input = operation.attributes.computed_in;
  if (!operation.results.empty()) spec.dtypes.output = operation.results.front().type;
  std::vector<const Tensor*> places;
  places.reserve(tensors.size());
  spec.inputs.reserve(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i];
    const bool is_one_number = tensor.learned && element_count((*sizes)[i]) == 1;
    spec.inputs.push_back(operand_of(tensor, is_one_number ? Sizes{1} : (*sizes)[i]));
    if (spec.inputs.back().sizes.empty()) return traffic(operation);
    spec.inputs.back().type = tensor.type;
    if (!spec.dtypes.weight && tensor.learned.value_or(0) > 0) spec.dtypes.weight = tensor.type;
    places.push_back(&tensor);
  }
  drop_usual_types(spec);
  spec.access = access_of(places);
  return named(operation, std::move(spec));
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
      {"function", function_without_kind, elementwise,
       "Abs Acos Acosh Asin Asinh Atan Atanh BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor "
       "Ceil Cos Cosh Erf Exp Floor Log LpNormalization Max MeanVarianceNormalization Min Mish "
       "Mod Neg Pow Reciprocal Round Shrink Sign Sin Sinh Softplus Softsign Sqrt Tan "
       "ThresholdedRelu Where",
       "mish mish_backward softplus softplus_backward log_sigmoid_forward log_sigmoid_backward: "
       "input;"
       "__and_ __or_ __xor_ abs addcdiv addcmul atan2 bitwise_and bitwise_not bitwise_or "
       "bitwise_xor ceil clamp_max cos erf erfc exp exp2 expm1 floor floor_divide fmod lerp log "
       "log10 log1p log2 logical_and logical_or logical_xor masked_fill maximum minimum "
       "nan_to_num neg pow reciprocal remainder round rsqrt sgn sign sin sqrt square trunc where "
       "native_dropout_backward mse_loss smooth_l1_loss huber_loss binary_cross_entropy "
       "mse_loss_backward smooth_l1_loss_backward binary_cross_entropy_backward: tensors",
       "PointWise ElementWise Unary Activation Scale"},
      {"comparison", function_without_kind, elementwise,
       "And Equal Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual Not Or Xor",
       "eq ne lt le gt ge isnan isinf isfinite logical_not: tensors", "", DataType::boolean},
      {"add", combination, add, "Add Mean Sum", "add: input other"},
      {"sub", combination, sub, "Sub", "sub rsub subtract: input other"},
      {"mul", combination, mul, "Mul", "mul multiply: input other"},
      {"div", combination, LayerKind::div, "Div", "div divide true_divide: input other"},
      {"rowwise", function, rowwise, "CumProd CumSum Trilu", "cumsum cumprod tril triu: input"},
  };
  return rows;
}

}  // namespace roofline
