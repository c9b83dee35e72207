#include "load/onnx/sizes.hpp"

#include <algorithm>

#include "load/onnx/window.hpp"
#include "roofline/error.hpp"

namespace roofline::onnx_graph {
namespace {

using Tensor = ::onnx::TensorProto;

// Results as large as the first operand, in its type.
constexpr std::string_view like_first_operand[] = {"Relu",
                                                   "LeakyRelu",
                                                   "Elu",
                                                   "Selu",
                                                   "Celu",
                                                   "Sigmoid",
                                                   "HardSigmoid",
                                                   "HardSwish",
                                                   "Tanh",
                                                   "Gelu",
                                                   "Mish",
                                                   "Swish",
                                                   "Erf",
                                                   "Softplus",
                                                   "Softsign",
                                                   "Exp",
                                                   "Log",
                                                   "Sqrt",
                                                   "Neg",
                                                   "Abs",
                                                   "Reciprocal",
                                                   "Floor",
                                                   "Ceil",
                                                   "Round",
                                                   "Sign",
                                                   "Sin",
                                                   "Cos",
                                                   "Tan",
                                                   "Asin",
                                                   "Acos",
                                                   "Atan",
                                                   "Sinh",
                                                   "Cosh",
                                                   "Asinh",
                                                   "Acosh",
                                                   "Atanh",
                                                   "Clip",
                                                   "Softmax",
                                                   "LogSoftmax",
                                                   "Hardmax",
                                                   "Identity",
                                                   "LayerNormalization",
                                                   "CumSum",
                                                   "GroupNormalization",
                                                   "InstanceNormalization",
                                                   "LRN",
                                                   "BatchNormalization",
                                                   "RMSNormalization",
                                                   "LpNormalization",
                                                   "MeanVarianceNormalization",
                                                   "ThresholdedRelu",
                                                   "PRelu",
                                                   "Shrink",
                                                   "Trilu",
                                                   "ScatterND",
                                                   "ScatterElements",
                                                   "Scatter",
                                                   "BitwiseNot",
                                                   "RotaryEmbedding",
                                                   "TensorScatter",
                                                   "QuickGelu",
                                                   "FastGelu",
                                                   "BiasGelu",
                                                   "SkipLayerNormalization",
                                                   "SimplifiedLayerNormalization",
                                                   "SkipSimplifiedLayerNormalization",
                                                   "Bernoulli",
                                                   "ReverseSequence"};

constexpr std::string_view broadcasting[] = {
    "Add",  "Sub", "Mul", "Div",      "Pow",        "Min",       "Max",
    "Mean", "Sum", "Mod", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor"};

constexpr std::string_view comparing[] = {"Equal",          "Less", "LessOrEqual", "Greater",
                                          "GreaterOrEqual", "And",  "Or",          "Xor"};

constexpr std::string_view testing[] = {"Not", "IsNaN", "IsInf"};

template <class Table>
bool contains(const Table& table, std::string_view op) {
  return std::find(std::begin(table), std::end(table), op) != std::end(table);
}

/// Set 6 and before: the second operand is aligned at an axis. We serve from set 7.
std::vector<const Sizes*> operand_sizes(const Node& node) {
  std::vector<const Sizes*> all;
  for (const Value* input : node.inputs) {
    if (input == nullptr) continue;
    if (!input->sizes) return {};
    all.push_back(&*input->sizes);
  }
  return all;
}

bool infer_broadcast(Node& node, int type) {
  const auto operands = operand_sizes(node);
  if (!operands.empty()) set_result(node, 0, broadcast(operands), type);
  return true;
}

void infer_like_first(Node& node, int type) {
  const Value* first = node.input(0);
  if (first != nullptr && first->sizes) set_result(node, 0, *first->sizes, type);
}

/// Tensors of 8 bits that stand for floating-point numbers.
bool infer_quantised(Node& node) {
  const Value* zero_point = node.input(2);
  if (node.op == "QuantizeLinear") {
    const auto stated = static_cast<int>(int_attribute(node, "output_dtype", 0));
    const int type = zero_point != nullptr ? zero_point->type : stated;
    infer_like_first(node, type != 0 ? type : Tensor::UINT8);
  } else if (node.op == "DequantizeLinear") {
    const Value* scale = node.input(1);
    infer_like_first(node, scale != nullptr ? scale->type : Tensor::FLOAT);
    if (node.input(0) != nullptr) node.outputs[0]->stored_type = node.input(0)->type;
  } else if (node.op == "DynamicQuantizeLinear") {
    infer_like_first(node, Tensor::UINT8);
    set_result(node, 1, {}, Tensor::FLOAT);
    set_result(node, 2, {}, Tensor::UINT8);
  } else {
    return false;
  }
  return true;
}

int cast_type(const Node& node, int otherwise) {
  if (node.op == "CastLike") return node.input(1) != nullptr ? node.input(1)->type : otherwise;
  return static_cast<int>(int_attribute(node, "to", otherwise));
}

bool infer_window(Node& node) {
  const Value* operand = node.input(0);
  if (operand == nullptr || !operand->sizes) return true;
  int type = operand->type;
  if (node.op == "ConvInteger") type = Tensor::INT32;
  if (node.op == "QLinearConv" && node.input(7) != nullptr) type = node.input(7)->type;
  const Sizes sizes = window_result(node);
  set_result(node, 0, sizes, type);
  set_result(node, 1, sizes, Tensor::INT64);  // MaxPool's indices
  return true;
}

bool infer_global_pool(Node& node) {
  const Value* operand = node.input(0);
  if (operand == nullptr || !operand->sizes) return true;
  Sizes sizes = *operand->sizes;
  for (std::size_t axis = 2; axis < sizes.size(); ++axis) sizes[axis] = 1;
  set_result(node, 0, sizes, operand->type);
  return true;
}

bool infer_own_sizes(Node& node, bool& is_largest) {
  const int type = node.input(0) != nullptr ? node.input(0)->type : 0;
  if (contains(like_first_operand, node.op)) return infer_like_first(node, type), true;
  if (contains(broadcasting, node.op)) return infer_broadcast(node, type);
  if (contains(comparing, node.op)) return infer_broadcast(node, Tensor::BOOL);
  if (contains(testing, node.op)) return infer_like_first(node, Tensor::BOOL), true;
  if (node.op == "Where")
    return infer_broadcast(node, node.input(1) != nullptr ? node.input(1)->type : 0);
  if (node.op == "Cast" || node.op == "CastLike")
    return infer_like_first(node, cast_type(node, type)), true;
  if (node.op == "Dropout") {
    infer_like_first(node, type);
    if (node.outputs[0]->sizes) set_result(node, 1, *node.outputs[0]->sizes, Tensor::BOOL);
    return true;
  }
  if (is_convolution(node) || is_pool(node)) return infer_window(node);
  if (node.op.starts_with("Global")) return infer_global_pool(node);
  return infer_quantised(node) || infer_moved_sizes(node) || infer_chosen_sizes(node, is_largest) ||
         infer_product_sizes(node);
}

}  // namespace

const Sizes* sizes_at(const Node& node, std::size_t input) {
  const Value* value = node.input(input);
  return value != nullptr && value->sizes ? &*value->sizes : nullptr;
}

int type_at(const Node& node, std::size_t input) {
  return node.input(input) != nullptr ? node.input(input)->type : 0;
}

std::size_t axis_or_throw(std::int64_t axis, std::size_t rank) {
  const auto normal = normal_axis(axis, rank);
  if (!normal)
    throw NodeError{"axis: expected one of " + std::to_string(rank) + " axes, got " +
                    std::to_string(axis)};
  return *normal;
}

Sizes broadcast(const std::vector<const Sizes*>& operands) {
  Sizes out;
  for (const Sizes* each : operands) {
    if (each->size() > out.size()) out.insert(out.begin(), each->size() - out.size(), 1);
    for (std::size_t i = 0; i < each->size(); ++i) {
      std::int64_t& size = out[out.size() - each->size() + i];
      if (size != (*each)[i] && size != 1 && (*each)[i] != 1)
        throw NodeError{"expected operands that broadcast to one shape, got " +
                        list_text(*operands.front()) + " and " + list_text(*each)};
      size = size == 1 ? (*each)[i] : size;
    }
  }
  return out;
}

void set_result(Node& node, std::size_t output, Sizes sizes, int type) {
  if (output >= node.outputs.size() || node.outputs[output] == nullptr) return;
  if (std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size < 0; }))
    throw NodeError{"expected a result of sizes of at least 0, got " + list_text(sizes)};
  if (!product(sizes)) throw OverflowError();
  Value& value = *node.outputs[output];
  value.sizes = std::move(sizes);
  if (type != 0) value.type = type;
}

bool infer_sizes(Node& node) {
  bool is_largest = false;
  const bool is_standard = node.domain.empty() || node.domain == "com.microsoft";
  if (is_standard && infer_own_sizes(node, is_largest)) return is_largest;
  infer_library_sizes(node);
  return is_largest;
}

}  // namespace roofline::onnx_graph
