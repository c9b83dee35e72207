// Joins nodes that exporters write for one operator: the formula's last node becomes the operator.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnx/operators.hpp"

namespace roofline::onnx_graph {

Node* maker(const Value* value, std::string_view op) {
  const bool is_made = value != nullptr && value->producer != nullptr && value->producer->op == op;
  return is_made ? value->producer : nullptr;
}

void become(Node& node, std::string op, std::vector<Value*> inputs) {
  node.op = std::move(op);
  node.domain.clear();
  node.row = find_operator(node.domain, node.op);
  node.proto = nullptr;
  node.made.clear();
  node.inputs = std::move(inputs);
}

namespace {

/// The operand of two that is not `known`; null if neither is `known`.
Value* other_operand(const Node& node, const Value* known) {
  if (node.inputs.size() != 2) return nullptr;
  if (node.inputs[0] == known) return node.inputs[1];
  return node.inputs[1] == known ? node.inputs[0] : nullptr;
}

bool is_vector_constant(const Value* value) {
  return value != nullptr && value->is_constant && value->sizes &&
         product(*value->sizes).value_or(0) > 1;
}

struct Match {
  const Node* last = nullptr;   ///< the formula's last node, where the search starts
  Value* x = nullptr;           ///< the formula's operand
  const Node* inner = nullptr;  ///< a node whose attributes matter
};

/// Whether the value matches the pattern.
using Pattern = std::function<bool(Match&, Value*)>;
using Patterns = std::vector<Pattern>;

/// Any value at the first use, the same value after it.
bool x(Match& match, Value* value) {
  if (match.x == nullptr) match.x = value;
  return match.x == value;
}

bool constant(Match& /*match*/, Value* value) { return constant_scalar(value).has_value(); }

Pattern number(double wanted) {
  return [wanted](Match& /*match*/, Value* value) {
    const auto number = constant_scalar(value);
    return number && std::abs(*number - wanted) <= 0.01 * std::abs(wanted);
  };
}

/// Whether x and constants give the value by elementary operators.
bool is_polynomial_of(const Value* value, const Value* x, int depth) {
  if (value == x || constant_scalar(value)) return true;
  const Node* node = value == nullptr ? nullptr : value->producer;
  if (node == nullptr || depth == 0) return false;
  const bool elementary =
      node->op == "Mul" || node->op == "Div" || node->op == "Add" || node->op == "Pow";
  return elementary && std::ranges::all_of(node->inputs, [&](const Value* operand) {
           return is_polynomial_of(operand, x, depth - 1);
         });
}
bool polynomial(Match& match, Value* value) { return is_polynomial_of(value, match.x, 6); }

bool match_in_order(Match& match, const std::vector<Value*>& values, const Patterns& patterns) {
  if (values.size() < patterns.size()) return false;
  Match attempt = match;
  for (std::size_t i = 0; i < patterns.size(); ++i)
    if (!patterns[i](attempt, values[i])) return false;
  match = attempt;
  return true;
}

bool match_in_any_order(Match& match, const std::vector<Value*>& values, const Patterns& patterns) {
  if (values.size() != patterns.size()) return false;
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  do {
    const auto ordered = each_of(order, [&](std::size_t i) { return values[i]; });
    if (match_in_order(match, ordered, patterns)) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

/// A node with these operands, of a sum or product in any order. Only a difference has several
/// readers.
Pattern op(std::string_view name, const Patterns& operands) {
  return [name, operands](Match& match, Value* value) {
    const Node* node = maker(value, name);
    if (node == nullptr || (node != match.last && name != "Sub" && only_reader(value) == nullptr))
      return false;
    const bool commutes = name == "Add" || name == "Mul";
    return (commutes ? match_in_any_order : match_in_order)(match, node->inputs, operands);
  };
}

/// Factors of nested products: Mul, or Div by a constant, up to three deep.
void add_factors(const Match& match, Value* value, int depth, std::vector<Value*>& factors) {
  const Node* node = value == nullptr ? nullptr : value->producer;
  const bool is_inside = node != nullptr && (node == match.last || only_reader(value) != nullptr);
  const bool is_product =
      is_inside && node->inputs.size() == 2 &&
      (node->op == "Mul" || (node->op == "Div" && constant_scalar(node->inputs[1])));
  if (!is_product || depth == 0) return factors.push_back(value);
  for (Value* input : node->inputs) add_factors(match, input, depth - 1, factors);
}

Pattern times(const Patterns& patterns) {
  return [patterns](Match& match, Value* value) {
    std::vector<Value*> factors;
    add_factors(match, value, 3, factors);
    return match_in_any_order(match, factors, patterns);
  };
}

Pattern either(const Patterns& patterns) {
  return [patterns](Match& match, Value* value) {
    return std::ranges::any_of(patterns, [&](const Pattern& each) {
      Match attempt = match;
      if (!each(attempt, value)) return false;
      match = attempt;
      return true;
    });
  };
}

Pattern inner(const Pattern& pattern) {
  return [pattern](Match& match, Value* value) {
    if (!pattern(match, value)) return false;
    match.inner = value->producer;
    return true;
  };
}

/// clip(x + 3, 0, 6).
bool clipped_at_six(Match& match, Value* value) {
  static const Pattern clip = op("Clip", {op("Add", {x, number(3)})});
  if (!clip(match, value)) return false;
  const Node& node = *value->producer;
  const auto most = node.input(2) != nullptr ? constant_scalar(node.input(2))
                                             : std::optional(float_attribute(node, "max", 0));
  return most && std::abs(*most - 6) <= 0.06;
}

struct Formula {
  const char* op;
  Pattern pattern;
};

const std::vector<Formula>& activations() {
  static const std::vector<Formula> formulas{
      {"Gelu", times({x, constant, op("Add", {op("Erf", {polynomial}), number(1)})})},
      {"Gelu", times({x, constant, op("Add", {op("Tanh", {polynomial}), number(1)})})},
      {"Gelu", times({x, op("Sigmoid", {times({x, constant})})})},  // an approximation
      {"Swish", times({x, op("Sigmoid", {x})})},
      {"HardSwish", times({x, op("HardSigmoid", {x})})},
      {"HardSwish", times({x, constant, clipped_at_six})},
      {"HardSigmoid", times({constant, clipped_at_six})},
      {"Mish", times({x, op("Tanh", {op("Softplus", {x})})})},
  };
  return formulas;
}

Pattern normalised(const Pattern& value) {
  const Pattern square = either({op("Mul", {value, value}), op("Pow", {value, number(2)})});
  const Pattern mean = inner(op("ReduceMean", {square}));
  const Pattern root = op("Sqrt", {either({mean, op("Add", {mean, constant})})});
  const Pattern inverse = either({op("Reciprocal", {root}), op("Div", {number(1), root})});
  return either({op("Div", {value, root}), op("Mul", {value, inverse})});
}

const std::vector<Formula>& norms() {
  static const std::vector<Formula> formulas{
      {"LayerNormalization", normalised(op("Sub", {x, op("ReduceMean", {x})}))},
      {"RMSNormalization", normalised(x)},
      // An instance norm with groups as channels.
      {"GroupNormalization",
       op("Reshape", {inner(op("InstanceNormalization", {op("Reshape", {x})}))})},
  };
  return formulas;
}

std::optional<Match> find(const Formula& formula, const Node& node) {
  Match match{&node};
  return formula.pattern(match, node.outputs[0]) ? std::optional(match) : std::nullopt;
}

void join_activation(Node& node) {
  if (node.op != "Mul" && node.op != "Div") return;
  for (const Formula& formula : activations())
    if (const auto match = find(formula, node)) return become(node, formula.op, {match->x});
}

struct Affine {
  Node* last;
  Value* gamma = nullptr;
  Value* beta = nullptr;
};
Affine follow_affine(Node& normalised, bool has_shift) {
  Affine affine{&normalised};
  const auto step = [&](std::string_view op) -> Value* {
    Node* next = only_reader(affine.last->outputs[0]);
    if (next != nullptr && next->op == "Cast") next = only_reader(next->outputs[0]);
    if (next == nullptr || next->op != op) return nullptr;
    const auto vector = std::ranges::find_if(next->inputs, is_vector_constant);
    if (vector == next->inputs.end()) return nullptr;
    affine.last = next;
    return *vector;
  };
  affine.gamma = step("Mul");
  if (affine.gamma != nullptr && has_shift) affine.beta = step("Add");
  return affine;
}

/// The norm's attribute: its axes, or its number of groups.
std::optional<std::pair<const char*, Sizes>> norm_attribute(const Node& node, const Match& match) {
  if (node.op != "Reshape") {
    const auto axes = ints_attribute_or_input(*match.inner, "axes", 1);
    return axes && !axes->empty() ? std::optional(std::pair("axes", *axes)) : std::nullopt;
  }
  const Sizes* groups = sizes_at(*match.inner, 0);
  const bool fits = match.x != nullptr && match.x->sizes && match.x->sizes->size() >= 2 &&
                    node.outputs[0]->sizes == match.x->sizes && groups != nullptr &&
                    groups->size() >= 2;
  return fits ? std::optional(std::pair("num_groups", Sizes{(*groups)[1]})) : std::nullopt;
}

void join_norm(Node& node) {
  if (node.op != "Mul" && node.op != "Div" && node.op != "Reshape") return;
  for (const Formula& formula : norms()) {
    const auto match = find(formula, node);
    const auto attribute = match ? norm_attribute(node, *match) : std::nullopt;
    if (!attribute) continue;
    const bool has_shift = std::string_view(formula.op) != "RMSNormalization";
    const Affine affine = follow_affine(node, has_shift);
    become(*affine.last, formula.op, {match->x, affine.gamma, affine.beta});
    affine.last->made[attribute->first] = attribute->second;
    return;
  }
}

// Products and convolutions, with the bias and the padding of the same kernel.

/// The sum with a constant vector of `elements` on one axis.
Node* sum_with_bias(const Value* value, std::int64_t elements, std::size_t axis_from_end) {
  Node* sum = only_reader(value);
  if (sum == nullptr || sum->op != "Add") return nullptr;
  const Value* bias = other_operand(*sum, value);
  if (!is_vector_constant(bias) || product(*bias->sizes) != elements) return nullptr;
  const Sizes& sizes = *bias->sizes;
  const bool on_axis =
      sizes.size() > axis_from_end && sizes[sizes.size() - 1 - axis_from_end] == elements;
  return on_axis && sum->outputs[0]->sizes == value->sizes ? sum : nullptr;
}

void move_to_sum(const Node& node, Node& sum, const char* op) {
  Value* bias = other_operand(sum, node.outputs[0]);
  sum.name = node.name;
  sum.origin = node.origin;
  become(sum, op, {node.inputs[0], node.inputs[1], bias});
}

void join_matrix_bias(Node& node) {
  const MatrixOperands operands = *matrix_operands(node);
  const Value* weights = node.input(1);
  const auto sizes = operands.has_bias ? std::nullopt : matrix_product(node);
  if (!sizes || weights == nullptr || !weights->is_constant) return;
  Node* sum = sum_with_bias(node.outputs[0], sizes->n, 0);
  if (sum == nullptr) return;
  move_to_sum(node, *sum, "Linear");
  sum->made["transA"] = {operands.transposes_a ? 1 : 0};
  sum->made["transB"] = {operands.transposes_b ? 1 : 0};
}

void join_convolution_bias(Node& node) {
  const auto& out = node.outputs[0]->sizes;
  if (node.inputs.size() != 2 || !out || out->size() < 3) return;
  Node* sum = sum_with_bias(node.outputs[0], (*out)[1], out->size() - 2);
  if (sum == nullptr) return;
  move_to_sum(node, *sum, node.op.c_str());
  sum->proto = node.proto;
  sum->made = node.made;
}

/// Zeros along spatial axes only.
void join_padding(Node& node) {
  if (node.op != "Conv") return;
  const Node* pad = maker(node.input(0), "Pad");
  const Sizes* operand = pad != nullptr ? sizes_at(*pad, 0) : nullptr;
  if (operand == nullptr || operand->size() < 3 || only_reader(node.input(0)) != &node ||
      text_attribute(*pad, "mode", "constant") != "constant" || pad->input(3) != nullptr ||
      text_attribute(node, "auto_pad", "NOTSET") != "NOTSET")
    return;
  const bool is_zero = (pad->input(2) == nullptr || constant_scalar(pad->input(2)) == 0.0) &&
                       float_attribute(*pad, "value", 0) == 0;
  const std::size_t rank = operand->size();
  const Sizes around = ints_attribute_or_input(*pad, "pads", 1).value_or(Sizes{});
  Sizes pads = ints_attribute(node, "pads").value_or(Sizes(2 * (rank - 2), 0));
  if (!is_zero || around.size() != 2 * rank || pads.size() != 2 * (rank - 2)) return;
  for (std::size_t i = 0; i < around.size(); ++i) {
    constexpr std::int64_t most_padding = 1LL << 31;
    const std::size_t axis = i % rank;
    if (around[i] < 0 || around[i] > (axis < 2 ? 0 : most_padding)) return;
    if (axis >= 2) pads[i < rank ? axis - 2 : axis + rank - 4] += around[i];
  }
  node.made["pads"] = pads;
  node.inputs[0] = pad->inputs[0];
}

void join_product(Node& node) {
  if (matrix_operands(node)) join_matrix_bias(node);
  if (node.op == "Conv" || node.op == "ConvTranspose") join_convolution_bias(node);
}

}  // namespace

void connect(Graph& graph) {
  for (Node* node : graph.order) node->is_needed = graph.outputs.empty();
  for (Value& value : graph.values) {
    value.consumers.clear();
    value.is_output = false;
  }
  std::vector<Node*> open;
  const auto need = [&](Value* value, bool is_output) {
    if (value == nullptr) return;
    value->is_output = value->is_output || is_output;
    if (value->producer == nullptr || value->producer->is_needed) return;
    value->producer->is_needed = true;
    open.push_back(value->producer);
  };
  for (Value* output : graph.outputs) need(output, true);
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    for (Value* input : node->inputs) need(input, false);
  }
  std::erase_if(graph.order, [](const Node* node) { return !node->is_needed; });
  for (Node* node : graph.order)
    for (Value* input : node->inputs)
      if (input != nullptr && (input->consumers.empty() || input->consumers.back() != node))
        input->consumers.push_back(node);
}

void simplify(Graph& graph, const std::string& source, bool joins_padding) {
  const std::vector<Node*> all = graph.order;
  connect(graph);
  const auto is_unneeded = [](const Node* node) { return !node->is_needed && !node->row->is_view; };
  const auto count = std::ranges::count_if(all, is_unneeded);
  graph.has_dead_nodes = count > 0;
  if (graph.has_dead_nodes)
    graph.notes.push_back("left out " + std::to_string(count) + (count == 1 ? " node" : " nodes") +
                          " that no output depends on, the first " +
                          node_place(**std::ranges::find_if(all, is_unneeded)));
  std::vector<void (*)(Node&)> joins{join_activation, join_norm, join_product};
  if (joins_padding) joins.push_back(join_padding);
  for (void (*join)(Node&) : joins) {
    for (Node* node : graph.order)
      if (!node->outputs.empty() && node->outputs[0] != nullptr)
        at_node(source, *node, [&] { join(*node); });
    connect(graph);
  }
}

}  // namespace roofline::onnx_graph
