// Elementwise operators on one tensor or several, conversions of types, and quantisation.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "onnx/operators.hpp"
#include "operators/table.hpp"

namespace roofline::onnx_graph {
namespace {

std::optional<Sizes> broadcast_sizes(Node& node) {
  std::vector<const Sizes*> all;
  for (const Value* input : node.inputs) {
    if (input == nullptr) continue;
    if (!input->sizes) return std::nullopt;
    all.push_back(&*input->sizes);
  }
  return broadcast_or_throw(all);
}

/// The row's function of each element, and of broadcast pairs, operand by operand.
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

std::optional<Sizes> where_sizes(Node& node) {
  node.outputs[0]->type = type_at(node, 1);
  return broadcast_sizes(node);
}

std::optional<Numbers> fold_where(const Node& node) {
  return of_each_index(node, [&](const Sizes& index) {
    return element_at(node, element_at(node, 0, index) != 0 ? 1 : 2, index);
  });
}

bool is_single(const Value& value) { return product_or_throw(*value.sizes) == 1; }

std::optional<Operation> clipped(const Emitter& emitter, const Node& node) {
  const auto bound = [&](std::size_t input, const char* name) -> std::optional<double> {
    if (node.input(input) != nullptr) return constant_scalar(node.input(input)).value_or(NAN);
    if (find_attribute(node, name) == nullptr) return std::nullopt;
    return float_attribute(node, name, 0);
  };
  return operation_of(emitter, node, {.bounds = {bound(1, "min"), bound(2, "max")}});
}

/// In the type of its tensors, not of learned or single numbers.
std::optional<DataType> computed_in(const Emitter& emitter,
                                    const std::vector<const Value*>& operands) {
  for (const Value* each : operands)
    if (each->learned == 0 && !is_single(*each)) return emitter.type_of(*each);
  return operands.empty() ? std::nullopt : std::optional(emitter.type_of(*operands.front()));
}

/// A parameter that repeats along the batch is told by its sizes in the rank of all operands.
std::optional<Operation> combined(const Emitter& emitter, const Node& node) {
  std::vector<const Value*> operands;
  for (const Value* input : node.inputs)
    if (has_elements(input)) operands.push_back(input);
  const auto sizes_of_each = [](const Value* each) { return unsigned_sizes(*each->sizes); };
  const auto joined = in_one_rank(each_of(operands, sizes_of_each));
  Operation operation = operation_of(emitter, node, {});
  operation.attributes.computed_in = computed_in(emitter, operands);
  operation.operands.clear();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Value& each = *operands[i];
    operation.operands.push_back(emitter.typed(
        each, joined ? Sizes((*joined)[i].begin(), (*joined)[i].end()) : *each.sizes));
  }
  return operation;
}

/// Elementwise on one tensor and single numbers, or on several tensors.
std::optional<Operation> function_of(const Emitter& emitter, const Node& node) {
  std::vector<const Value*> tensors;
  for (const Value* input : node.inputs)
    if (has_elements(input) && !is_single(*input)) tensors.push_back(input);
  const Value* only = tensors.empty() ? node.input(0) : tensors.front();
  auto operation = bytes_of(emitter, node);
  operation->row = find_row_of_onnx(node.op);
  if (tensors.size() < 2 && only->sizes == node.outputs[0]->sizes)
    operation->operands = {emitter.typed(*only, *only->sizes)};
  return operation;
}

std::optional<Sizes> cast_sizes(Node& node) {
  node.outputs[0]->type = static_cast<int>(int_attribute(node, "to", type_at(node, 0)));
  return sizes_of(node, 0);
}

std::optional<Sizes> cast_like_sizes(Node& node) {
  node.outputs[0]->type = type_at(node, 1);
  return sizes_of(node, 0);
}

std::optional<Sizes> quantise_sizes(Node& node) {
  const auto stated = static_cast<int>(int_attribute(node, "output_dtype", 0));
  const int type = node.input(2) != nullptr ? type_at(node, 2) : stated;
  node.outputs[0]->type = type != 0 ? type : static_cast<int>(element::uint8);
  return sizes_of(node, 0);
}

std::optional<Sizes> quantise_dynamically_sizes(Node& node) {
  set_result(node, 1, {}, element::float32);
  set_result(node, 2, {}, element::uint8);
  return sizes_of(node, 0);
}

/// Floats that stay stored as they were.
std::optional<Sizes> dequantise_sizes(Node& node) {
  const int scale = type_at(node, 1);
  node.outputs[0]->type = scale != 0 ? scale : static_cast<int>(element::float32);
  node.outputs[0]->stored_type = node.input(0)->type;
  return sizes_of(node, 0);
}

std::optional<Operation> converted(const Emitter& emitter, const Node& node) {
  return copy_of(emitter, node, sizes_of(node, 0));
}

std::optional<Operation> cast(const Emitter& emitter, const Node& node) {
  const bool is_same = emitter.type_of(*node.input(0)) == emitter.type_of(*node.outputs[0]);
  return is_same ? view_of(node) : converted(emitter, node);
}

/// The previous kernel writes a quantised result if this is the only reader.
std::optional<Operation> quantised(const Emitter& emitter, const Node& node) {
  const bool is_fused =
      emitter.is_own_result(*node.input(0)) && only_reader(node.input(0)) == &node;
  return is_fused ? view_of(node) : converted(emitter, node);
}

/// Readers read the quantised tensor.
std::optional<Operation> dequantised(const Emitter& emitter, const Node& node) {
  if (!node.outputs[0]->is_output) return view_of(node);
  node.outputs[0]->stored_type = 0;
  return converted(emitter, node);
}

constexpr Operator activation{.sizes = like_first, .fold = fold_each, .state = as_stated};
constexpr Operator test{
    .sizes = like_first, .type = element::boolean, .fold = fold_each, .state = as_stated};
constexpr Operator combination{.sizes = broadcast_sizes, .fold = fold_pairs, .state = combined};
constexpr Operator function{.sizes = broadcast_sizes, .fold = fold_pairs, .state = function_of};
constexpr Operator comparison{
    .sizes = broadcast_sizes, .type = element::boolean, .fold = fold_pairs, .state = function_of};

constexpr Operator elementwise_rows[] = {
    rows_of("relu leaky_relu prelu elu sigmoid hardsigmoid tanh silu hardswish gelu rowwise",
            activation),
    rows_of("clamp", activation, clipped),
    rows_of("function", function),
    rows_of("comparison", comparison),
    rows_of("add", combination),

    row("Abs", activation, [](double x) { return std::abs(x); }),
    row("Ceil", activation, [](double x) { return std::ceil(x); }),
    row("Exp", activation, [](double x) { return std::exp(x); }),
    row("Floor", activation, [](double x) { return std::floor(x); }),
    row("Log", activation, [](double x) { return std::log(x); }),
    row("Neg", activation, [](double x) { return -x; }),
    row("Reciprocal", activation, [](double x) { return 1 / x; }),
    row("Round", activation, [](double x) { return std::nearbyint(x); }),
    row("Sqrt", activation, [](double x) { return std::sqrt(x); }),
    row("IsNaN", test, [](double x) { return std::isnan(x) ? 1.0 : 0.0; }),
    row("Not", test, [](double x) { return x == 0 ? 1.0 : 0.0; }),

    row("Add", combination, [](double a, double b) { return a + b; }),
    row("Div", combination, [](double a, double b) { return b == 0 ? NAN : a / b; }),
    row("Mul", combination, [](double a, double b) { return a * b; }),
    row("Sub", combination, [](double a, double b) { return a - b; }),

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
    row("Where", {.needs = 3}, where_sizes, fold_where, function_of),

    row("Cast", {.keeps_weights = true}, cast_sizes, fold_same, cast),
    row("CastLike", {}, cast_like_sizes, fold_same, cast),
    row("QuantizeLinear", {}, quantise_sizes, quantised),
    row("DynamicQuantizeLinear", {}, quantise_dynamically_sizes, element::uint8, converted),
    row("DequantizeLinear", {.keeps_weights = true}, dequantise_sizes, dequantised),
};

}  // namespace

std::span<const Operator> elementwise_operators() { return elementwise_rows; }

}  // namespace roofline::onnx_graph
