#include "load/onnx/rules.hpp"

#include <algorithm>
#include <string_view>

namespace roofline::onnx_graph {
namespace {

struct Row {
  std::string_view op;
  Rule rule;
};

// By name. Operators of com.microsoft, which its optimiser writes, stand among ONNX's own; Linear,
// Swish, Mish and RMSNormalization also come from our patterns.
// clang-format off
constexpr Row rows[] = {
    {"Abs", emit_activation}, {"Acos", emit_activation}, {"Acosh", emit_activation},
    {"Add", emit_combination},
    {"And", emit_function},
    {"ArgMax", emit_reduction}, {"ArgMin", emit_reduction},
    {"Asin", emit_activation}, {"Asinh", emit_activation}, {"Atan", emit_activation}, {"Atanh", emit_activation},
    {"Attention", emit_attention},
    {"AveragePool", emit_pool},
    {"BatchNormalization", emit_batch_norm},
    {"BiasGelu", emit_activation},
    {"BitShift", emit_function}, {"BitwiseAnd", emit_function}, {"BitwiseNot", emit_activation},
    {"BitwiseOr", emit_function}, {"BitwiseXor", emit_function},
    {"Cast", emit_cast}, {"CastLike", emit_cast},
    {"Ceil", emit_activation}, {"Celu", emit_activation},
    {"Clip", emit_clip},
    {"Col2Im", emit_copy},
    {"Compress", emit_selection},
    {"Concat", emit_concat},
    {"Conv", emit_convolution}, {"ConvInteger", emit_convolution}, {"ConvTranspose", emit_convolution},
    {"Cos", emit_activation}, {"Cosh", emit_activation}, {"CumSum", emit_activation},
    {"DeformConv", emit_convolution},
    {"DepthToSpace", emit_copy},
    {"DequantizeLinear", emit_dequantise},
    {"Div", emit_combination},
    {"Dropout", emit_view},
    {"DynamicQuantizeLinear", emit_quantise},
    {"Einsum", emit_einsum},
    {"Elu", emit_activation},
    {"Equal", emit_function},
    {"Erf", emit_activation}, {"Exp", emit_activation},
    {"Expand", emit_copy},
    {"FastGelu", emit_activation},
    {"Flatten", emit_view},
    {"Floor", emit_activation},
    {"FusedConv", emit_convolution}, {"FusedGemm", emit_matrix_product}, {"FusedMatMul", emit_matrix_product},
    {"GRU", emit_recurrent},
    {"Gather", emit_gather}, {"GatherElements", emit_selection}, {"GatherND", emit_selection},
    {"Gelu", emit_activation},
    {"Gemm", emit_matrix_product},
    {"GlobalAveragePool", emit_global_pool}, {"GlobalLpPool", emit_reduction}, {"GlobalMaxPool", emit_reduction},
    {"Greater", emit_function}, {"GreaterOrEqual", emit_function},
    {"GroupNormalization", emit_group_norm},
    {"HardSigmoid", emit_activation}, {"HardSwish", emit_activation}, {"Hardmax", emit_activation},
    {"Identity", emit_view},
    {"InstanceNormalization", emit_batch_norm},
    {"IsInf", emit_activation}, {"IsNaN", emit_activation},
    {"LRN", emit_activation},
    {"LSTM", emit_recurrent},
    {"LayerNormalization", emit_layer_norm},
    {"LeakyRelu", emit_activation},
    {"Less", emit_function}, {"LessOrEqual", emit_function},
    {"Linear", emit_matrix_product},
    {"Log", emit_activation}, {"LogSoftmax", emit_activation},
    {"LpNormalization", emit_activation},
    {"LpPool", emit_pool},
    {"MatMul", emit_matrix_product}, {"MatMulInteger", emit_matrix_product},
    {"Max", emit_function},
    {"MaxPool", emit_pool},
    {"Mean", emit_combination},
    {"MeanVarianceNormalization", emit_activation},
    {"Min", emit_function},
    {"Mish", emit_activation},
    {"Mod", emit_function},
    {"Mul", emit_combination},
    {"MultiHeadAttention", emit_attention},
    {"Neg", emit_activation}, {"Not", emit_activation},
    {"Or", emit_function},
    {"PRelu", emit_activation},
    {"Pad", emit_copy},
    {"Pow", emit_function},
    {"QGemm", emit_matrix_product},
    {"QLinearConv", emit_convolution}, {"QLinearMatMul", emit_matrix_product},
    {"QuantizeLinear", emit_quantise},
    {"QuickGelu", emit_activation},
    {"RMSNormalization", emit_layer_norm},
    {"RNN", emit_recurrent},
    {"Reciprocal", emit_activation},
    {"ReduceL1", emit_reduction}, {"ReduceL2", emit_reduction}, {"ReduceLogSum", emit_reduction},
    {"ReduceLogSumExp", emit_reduction}, {"ReduceMax", emit_reduction}, {"ReduceMean", emit_reduction},
    {"ReduceMin", emit_reduction}, {"ReduceProd", emit_reduction}, {"ReduceSum", emit_reduction},
    {"ReduceSumSquare", emit_reduction},
    {"Relu", emit_activation},
    {"Reshape", emit_view},
    {"Resize", emit_resize},
    {"ReverseSequence", emit_copy},
    {"Round", emit_activation},
    {"Scatter", emit_bytes}, {"ScatterElements", emit_bytes}, {"ScatterND", emit_bytes},
    {"Selu", emit_activation}, {"Shrink", emit_activation}, {"Sigmoid", emit_activation}, {"Sign", emit_activation},
    {"SimplifiedLayerNormalization", emit_layer_norm},
    {"Sin", emit_activation}, {"Sinh", emit_activation},
    {"Slice", emit_selection},
    {"Softmax", emit_activation}, {"Softplus", emit_activation}, {"Softsign", emit_activation},
    {"SpaceToDepth", emit_copy},
    {"Split", emit_split},
    {"Sqrt", emit_activation},
    {"Squeeze", emit_view},
    {"Sub", emit_combination}, {"Sum", emit_combination},
    {"Swish", emit_activation},
    {"Tan", emit_activation}, {"Tanh", emit_activation}, {"ThresholdedRelu", emit_activation},
    {"Tile", emit_copy},
    {"Transpose", emit_transpose},
    {"Trilu", emit_activation},
    {"Unsqueeze", emit_view},
    {"Upsample", emit_resize},
    {"Where", emit_function},
    {"Xor", emit_function},
};
// clang-format on

constexpr bool by_name(const Row& a, const Row& b) { return a.op < b.op; }
static_assert(std::is_sorted(std::begin(rows), std::end(rows), by_name), "found by bisection");

}  // namespace

Rule rule_for(const Node& node) {
  if (!node.domain.empty() && node.domain != "com.microsoft") return emit_without_rule;
  const auto found =
      std::lower_bound(std::begin(rows), std::end(rows), Row{node.op, nullptr}, by_name);
  return found != std::end(rows) && found->op == node.op ? found->rule : emit_without_rule;
}

}  // namespace roofline::onnx_graph
