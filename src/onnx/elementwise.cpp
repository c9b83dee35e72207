// Operators that work element by element: on one tensor, and on several broadcast to one shape.

#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx/builder.hpp"
#include "onnx/families.hpp"
#include "onnx/operands.hpp"
#include "onnx/operators.hpp"
#include "onnx/patterns.hpp"

namespace roofline::onnx_graph {
namespace {

std::vector<const Sizes*> operand_sizes(const Node& node) {
  std::vector<const Sizes*> all;
  for (const Value* input : node.inputs) {
    if (input == nullptr) continue;
    if (!input->sizes) return {};
    all.push_back(&*input->sizes);
  }
  return all;
}

void infer_broadcast(Node& node, int type) {
  const auto operands = operand_sizes(node);
  if (!operands.empty()) set_result(node, 0, broadcast(operands), type);
}

void infer_combined(Node& node) { infer_broadcast(node, type_at(node, 0)); }
void infer_compared(Node& node) { infer_broadcast(node, element::boolean); }
void infer_where(Node& node) { infer_broadcast(node, type_at(node, 1)); }

void infer_tested(Node& node) {
  if (const Sizes* in = sizes_at(node, 0)) set_result(node, 0, *in, element::boolean);
}

/// Up to set 6, the second operand may stand at an axis of the first: axes follow that are 1.
bool align_second(Builder& builder, Node& node, Scope& /*scope*/) {
  const Sizes* first = sizes_at(node, 0);
  const Sizes* second = sizes_at(node, 1);
  if (find_attribute(node, "axis") == nullptr || first == nullptr || second == nullptr)
    return false;
  const std::size_t axis = axis_or_throw(int_attribute(node, "axis", 0), first->size());
  if (first->size() < axis + second->size()) return false;
  Sizes trailing;
  for (std::size_t i = second->size(); i + axis < first->size(); ++i)
    trailing.push_back(static_cast<std::int64_t>(i));
  if (!trailing.empty()) node.inputs[1] = builder.view_of(node.inputs[1], "Unsqueeze", trailing);
  return false;
}

std::optional<Numbers> fold_where(const Node& node) {
  return of_each_index(node, [&](const Sizes& index) {
    return element_at(node, element_at(node, 0, index) != 0 ? 1 : 2, index);
  });
}

std::optional<Numbers> fold_clip(const Node& node) {
  const auto bound = [&](std::size_t input, const char* name, double otherwise) {
    const Value* stated = node.input(input);
    return stated != nullptr ? stated->numbers->at(0) : float_attribute(node, name, otherwise);
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double least = bound(1, "min", -infinity);
  const double most = bound(2, "max", infinity);
  Numbers out = numbers_of(node, 0);
  for (double& number : out) number = std::min(std::max(number, least), most);
  return out;
}

bool is_single(const Value& value) { return product_or_throw(*value.sizes) == 1; }

/// With leading axes of 1, as broadcasting has it.
Sizes aligned(const Sizes& sizes, std::size_t rank) {
  Sizes out = sizes;
  out.insert(out.begin(), rank - sizes.size(), 1);
  return out;
}

/// Joins neighbouring axes along which all operands are whole, or all of those that are not are 1,
/// until at most five are left. False where that cannot be.
bool join_axes(std::vector<Sizes>& operands, Sizes result) {
  for (std::size_t axis = result.size() - 1; axis > 0 && result.size() > 5; --axis) {
    const bool joins = std::all_of(operands.begin(), operands.end(), [&](const Sizes& each) {
      const bool whole = each[axis - 1] == result[axis - 1] && each[axis] == result[axis];
      return whole || (each[axis - 1] == 1 && each[axis] == 1);
    });
    if (!joins) continue;
    const auto join = [&](Sizes& sizes) {
      sizes[axis - 1] *= sizes[axis];
      sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(axis));
    };
    for (Sizes& each : operands) join(each);
    join(result);
  }
  return result.size() <= 5;
}

/// The layout that the operands share as their layers have them, if they do.
std::optional<Layout> common_layout(const std::vector<const Value*>& operands,
                                    const Sizes& result) {
  std::optional<Layout> common;
  for (const Value* each : operands) {
    if (is_single(*each)) continue;
    if (!each->source || !each->source->is_direct || each->sizes->size() != result.size())
      return std::nullopt;
    const Layout layout = each->source->layout;
    // The products of a matrix layout are one axis, along which nothing can be broadcast.
    if (layout == Layout::matrix && each->sizes != result) return std::nullopt;
    if (common && layout != *common) return std::nullopt;
    common = layout;
  }
  return common;
}

bool is_direct_last(const Value* value) {
  return value->source && value->source->is_direct && value->source->layout == Layout::last;
}

/// All operands in the axes of the result, or of the layer whose epilogue they may join.
bool set_operands(LayerSpec& spec, const std::vector<const Value*>& operands, const Sizes& result,
                  Layout layout) {
  std::vector<Sizes> sizes;
  sizes.reserve(operands.size());
  for (const Value* each : operands) sizes.push_back(aligned(*each->sizes, result.size()));
  if (result.size() > 5 && !join_axes(sizes, result)) return false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Value& each = *operands[i];
    const bool is_as_made = each.source && each.source->is_direct &&
                            each.source->layout == layout && each.sizes->size() == result.size() &&
                            result.size() <= 5;
    if (layout == Layout::last) sizes[i] = channels_second(sizes[i]);
    spec.inputs.push_back(is_as_made ? Emitter::whole(each) : Emitter::operand(each, sizes[i]));
  }
  return true;
}

void emit_clip(Emitter& emitter, const Node& node) {
  const auto bound = [&](std::size_t input, const char* name) -> std::optional<double> {
    if (node.input(input) != nullptr) return constant_scalar(node.input(input));
    if (find_attribute(node, name) == nullptr) return std::nullopt;
    return float_attribute(node, name, 0);
  };
  const auto least = bound(1, "min");
  const auto most = bound(2, "max");
  LayerKind kind = LayerKind::elementwise;
  if (least == 0.0 && most == 6.0) kind = LayerKind::relu6;
  if (least == 0.0 && !most && node.input(2) == nullptr) kind = LayerKind::relu;
  emit_one_operand(emitter, node, kind, *node.input(0));
}

void emit_combination(Emitter& emitter, const Node& node) {
  std::vector<const Value*> operands;
  for (const Value* input : node.inputs)
    if (has_elements(input)) operands.push_back(input);
  const Sizes& result = *node.outputs[0]->sizes;
  const auto shared = common_layout(operands, result);
  const bool any_last =
      result.size() <= 5 && std::any_of(operands.begin(), operands.end(), is_direct_last);
  const Layout layout = shared.value_or(any_last ? Layout::last : Layout::first);
  LayerSpec& spec = emitter.add(node, node.row->kind);
  const auto tensor = std::find_if(operands.begin(), operands.end(), [](const Value* each) {
    return each->learned == 0 && !is_single(*each);
  });
  if (tensor != operands.end()) spec.dtypes.input = emitter.type_of(**tensor);
  const auto learned = std::find_if(operands.begin(), operands.end(),
                                    [](const Value* each) { return each->learned > 0; });
  spec.dtypes.weight = learned != operands.end() ? emitter.type_of(**learned) : *spec.dtypes.input;
  if (shared) {
    for (const Value* each : operands)
      spec.inputs.push_back(is_single(*each) ? Emitter::operand(*each, {1})
                                             : Emitter::whole(*each));
  } else if (!set_operands(spec, operands, result, layout)) {
    emitter.drop_last();
    return emit_bytes(emitter, node);
  }
  emitter.writes(node.outputs[0], layout, result.size() <= 5);
}

/// Of one tensor and single numbers, elementwise; of several tensors, known by their bytes.
void emit_function(Emitter& emitter, const Node& node) {
  const Value* tensor = nullptr;
  for (const Value* input : node.inputs) {
    if (!has_elements(input) || is_single(*input)) continue;
    if (tensor != nullptr) return emit_bytes(emitter, node);
    tensor = input;
  }
  if (tensor == nullptr) tensor = node.input(0);
  if (!has_elements(tensor) || tensor->sizes != node.outputs[0]->sizes)
    return emit_bytes(emitter, node);
  emit_one_operand(emitter, node, LayerKind::elementwise, *tensor);
}

}  // namespace

void infer_like_first(Node& node) {
  if (const Sizes* in = sizes_at(node, 0)) set_result(node, 0, *in, type_at(node, 0));
}

std::optional<Numbers> fold_same(const Node& node) { return numbers_of(node, 0); }

std::optional<Numbers> fold_each(const Node& node) {
  if (node.row->of_one == nullptr) return std::nullopt;
  Numbers out = numbers_of(node, 0);
  std::transform(out.begin(), out.end(), out.begin(), node.row->of_one);
  return out;
}

/// Min and Max take any number of operands.
std::optional<Numbers> fold_pairs(const Node& node) {
  if (node.row->of_two == nullptr) return std::nullopt;
  Numbers result = numbers_of(node, 0);
  Sizes so_far = sizes_of(node, 0);
  const Sizes& out = *node.outputs[0]->sizes;
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == nullptr) return std::nullopt;
    Numbers next;
    for (const Sizes& index : indices_of(out))
      next.push_back(
          node.row->of_two(result.at(offset(index, so_far)), element_at(node, i, index)));
    result = std::move(next);
    so_far = out;
  }
  return result;
}

void emit_one_operand(Emitter& emitter, const Node& node, LayerKind kind, const Value& operand) {
  LayerSpec& spec = emitter.add(node, kind);
  spec.dtypes.input = spec.dtypes.weight = emitter.type_of(operand);
  spec.input = Emitter::whole(operand);
  for (Value* result : node.outputs) emitter.writes(result, Emitter::layout_of(operand));
}

void emit_activation(Emitter& emitter, const Node& node) {
  emit_one_operand(emitter, node, node.row->kind, *node.input(0));
}

namespace {

constexpr Operator element{.sizes = infer_like_first, .fold = fold_each, .layer = emit_activation};
constexpr Operator test{.sizes = infer_tested, .fold = fold_each, .layer = emit_activation};
/// Of kinds that layers have: sums, differences, products, quotients.
constexpr Operator combination{.write_out = align_second,
                               .sizes = infer_combined,
                               .fold = fold_pairs,
                               .layer = emit_combination};
constexpr Operator function{
    .write_out = align_second, .sizes = infer_combined, .fold = fold_pairs, .layer = emit_function};
constexpr Operator comparison{
    .write_out = align_second, .sizes = infer_compared, .fold = fold_pairs, .layer = emit_function};

constexpr Operator elementwise_rows[] = {
    row("BiasGelu", element, LayerKind::gelu),
    row("Elu", element, LayerKind::elu),
    row("FastGelu", element, LayerKind::gelu),
    row("Gelu", element, LayerKind::gelu),
    row("HardSigmoid", element, LayerKind::hardsigmoid),
    row("HardSwish", element, LayerKind::hardswish),
    row("LeakyRelu", element, LayerKind::leaky_relu),
    row("LogSoftmax", element, LayerKind::softmax),
    row("PRelu", element, LayerKind::prelu),
    row("QuickGelu", element, LayerKind::gelu),
    row("Relu", element, LayerKind::relu),
    row("Sigmoid", element, LayerKind::sigmoid),
    row("Softmax", element, LayerKind::softmax),
    row("Swish", element, LayerKind::silu),
    row("Tanh", element, LayerKind::tanh),
    {.name = "Clip", .sizes = infer_like_first, .fold = fold_clip, .layer = emit_clip},

    row("Abs", element, [](double x) { return std::abs(x); }),
    row("Acos", element),
    row("Acosh", element),
    row("Affine", element),  // up to set 9
    row("Asin", element),
    row("Asinh", element),
    row("Atan", element),
    row("Atanh", element),
    row("BitwiseNot", element),
    row("Ceil", element, [](double x) { return std::ceil(x); }),
    row("Celu", element),
    row("Cos", element),
    row("Cosh", element),
    row("CumProd", element),
    row("CumSum", element),
    row("Erf", element),
    row("Exp", element, [](double x) { return std::exp(x); }),
    row("Floor", element, [](double x) { return std::floor(x); }),
    row("Hardmax", element),
    row("ImageScaler", element),  // up to set 9
    row("Log", element, [](double x) { return std::log(x); }),
    row("Mish", element),
    row("Neg", element, [](double x) { return -x; }),
    row("Reciprocal", element, [](double x) { return 1 / x; }),
    row("Round", element, [](double x) { return std::nearbyint(x); }),
    row("Selu", element),
    row("Shrink", element),
    row("Sign", element),
    row("Sin", element),
    row("Sinh", element),
    row("Softplus", element),
    row("Softsign", element),
    row("Sqrt", element, [](double x) { return std::sqrt(x); }),
    row("Tan", element),
    row("ThresholdedRelu", element),
    row("Trilu", element),
    row("IsInf", test),
    row("IsNaN", test, [](double x) { return std::isnan(x) ? 1.0 : 0.0; }),
    row("Not", test, [](double x) { return x == 0 ? 1.0 : 0.0; }),

    row("Add", row("", combination, LayerKind::add), [](double a, double b) { return a + b; }),
    row("Div", row("", combination, LayerKind::div),
        [](double a, double b) { return b == 0 ? NAN : a / b; }),
    row("Mean", combination, LayerKind::add),
    row("Mul", row("", combination, LayerKind::mul), [](double a, double b) { return a * b; }),
    row("Sub", row("", combination, LayerKind::sub), [](double a, double b) { return a - b; }),
    row("Sum", combination, LayerKind::add),

    row("BitShift", function),
    row("BitwiseAnd", function),
    row("BitwiseOr", function),
    row("BitwiseXor", function),
    row("Max", function, [](double a, double b) { return std::max(a, b); }),
    row("Min", function, [](double a, double b) { return std::min(a, b); }),
    row("Mod", function,
        [](double a, double b) { return b == 0 ? NAN : a - std::floor(a / b) * b; }),
    row("Pow", function, [](double a, double b) { return std::pow(a, b); }),

    row("And", comparison, [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }),
    row("Equal", comparison, [](double a, double b) { return a == b ? 1.0 : 0.0; }),
    row("Greater", comparison, [](double a, double b) { return a > b ? 1.0 : 0.0; }),
    row("GreaterOrEqual", comparison, [](double a, double b) { return a >= b ? 1.0 : 0.0; }),
    row("Less", comparison, [](double a, double b) { return a < b ? 1.0 : 0.0; }),
    row("LessOrEqual", comparison, [](double a, double b) { return a <= b ? 1.0 : 0.0; }),
    row("Or", comparison, [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }),
    row("Xor", comparison, [](double a, double b) { return (a != 0) != (b != 0) ? 1.0 : 0.0; }),
    {.name = "Where", .sizes = infer_where, .fold = fold_where, .needs = 3, .layer = emit_function},
};

}  // namespace

std::span<const Operator> elementwise_operators() { return elementwise_rows; }

}  // namespace roofline::onnx_graph
