#include "onnx/patterns.hpp"

#include <algorithm>
#include <cmath>

#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

bool is_near(std::optional<double> number, double wanted) {
  return number && std::abs(*number - wanted) <= 0.01 * std::abs(wanted);
}

bool is_product_or_ratio(const Node& node) { return node.op == "Mul" || node.op == "Div"; }

/// Follows a chain of products from `start` until it has been multiplied with a tensor and, where
/// `needs_scale`, with a constant too: factor * start * constant, in any order.
struct Scaled {
  Node* last = nullptr;
  Value* factor = nullptr;
  bool has_scale = false;
};
Scaled follow_products(const Value* start, bool needs_scale) {
  Scaled found;
  const Value* at = start;
  for (int step = 0; step < 2; ++step) {
    Node* next = only_reader(at);
    if (next == nullptr || !is_product_or_ratio(*next) || next->inputs.size() != 2) break;
    Value* other = other_operand(*next, at);
    if (other == nullptr) break;
    if (constant_scalar(other)) {
      if (found.has_scale || !needs_scale) break;
      found.has_scale = true;
    } else {
      if (found.factor != nullptr || next->op == "Div") break;
      found.factor = other;
      // 0.5 * x may have been multiplied before.
      const Node* half = maker(other, "Mul");
      if (needs_scale && !found.has_scale && half != nullptr && only_reader(other) == next)
        for (const Value* operand : half->inputs)
          if (constant_scalar(operand)) {
            found.has_scale = true;
            found.factor = other_operand(*half, operand);
          }
    }
    found.last = next;
    at = next->outputs[0];
    if (found.factor != nullptr && (found.has_scale || !needs_scale)) break;
  }
  return found;
}

/// Whether a value is computed from `x` and constants by elementary operators.
bool is_polynomial_of(const Value* value, const Value* x, int depth) {
  if (value == x || constant_scalar(value)) return true;
  const Node* node = value == nullptr ? nullptr : value->producer;
  if (node == nullptr || depth == 0) return false;
  const bool elementary =
      node->op == "Mul" || node->op == "Div" || node->op == "Add" || node->op == "Pow";
  return elementary &&
         std::all_of(node->inputs.begin(), node->inputs.end(),
                     [&](const Value* operand) { return is_polynomial_of(operand, x, depth - 1); });
}

/// 0.5 * x * (1 + erf(x / sqrt(2))), or with tanh of a polynomial.
void join_gelu(Node& inner) {
  Node* plus_one = only_reader(inner.outputs[0]);
  if (plus_one == nullptr || plus_one->op != "Add" || plus_one->inputs.size() != 2 ||
      !is_near(constant_scalar(other_operand(*plus_one, inner.outputs[0])), 1))
    return;
  const Scaled product = follow_products(plus_one->outputs[0], true);
  if (product.last == nullptr || product.factor == nullptr || !product.has_scale) return;
  constexpr int deepest_polynomial = 6;
  if (is_polynomial_of(inner.input(0), product.factor, deepest_polynomial))
    become(*product.last, "Gelu", {product.factor});
}

/// x * sigmoid(x) and its relatives: the gate's operand is the factor.
void join_gated(Node& gate, const char* result) {
  const Scaled product = follow_products(gate.outputs[0], false);
  if (product.last == nullptr || product.factor == nullptr) return;
  if (product.factor == gate.input(0)) return become(*product.last, result, {product.factor});
  // sigmoid(1.702 x) * x approximates GELU
  if (gate.op == "Sigmoid" && maker(gate.input(0), "Mul") != nullptr &&
      only_reader(gate.input(0)) == &gate && is_polynomial_of(gate.input(0), product.factor, 1))
    become(*product.last, "Gelu", {product.factor});
}

/// x * tanh(softplus(x)).
void join_mish(Node& tanh) {
  const Node* softplus = maker(tanh.input(0), "Softplus");
  const Scaled product = follow_products(tanh.outputs[0], false);
  if (softplus != nullptr && product.last != nullptr && product.factor == softplus->input(0))
    become(*product.last, "Mish", {product.factor});
}

/// x * clip(x + 3, 0, 6) / 6, or without the product.
void join_hard(Node& clip) {
  const Node* plus_three = maker(clip.input(0), "Add");
  if (plus_three == nullptr || plus_three->inputs.size() != 2) return;
  Value* x = nullptr;
  for (std::size_t i = 0; i < 2; ++i)
    if (is_near(constant_scalar(plus_three->inputs[i]), 3)) x = plus_three->inputs[1 - i];
  if (x == nullptr) return;
  const Scaled product = follow_products(clip.outputs[0], true);
  if (product.last == nullptr || !product.has_scale) return;
  if (product.factor == x) {
    become(*product.last, "HardSwish", {x});
  } else if (product.factor == nullptr) {
    become(*product.last, "HardSigmoid", {x});
    join_gated(*product.last, "HardSwish");
  }
}

bool clips_at_six(const Node& node) {
  if (node.op != "Clip") return false;
  const auto six = node.input(2) != nullptr ? constant_scalar(node.input(2))
                                            : std::optional(float_attribute(node, "max", 0));
  return is_near(six, 6);
}

}  // namespace

Node* only_reader(const Value* value) {
  if (value == nullptr || value->is_output || value->consumers.size() != 1) return nullptr;
  return value->consumers.front();
}

Node* maker(const Value* value, std::string_view op) {
  if (value == nullptr || value->producer == nullptr || value->producer->op != op) return nullptr;
  return value->producer;
}

Value* other_operand(const Node& node, const Value* known) {
  if (node.inputs.size() != 2) return nullptr;
  if (node.inputs[0] == known) return node.inputs[1];
  return node.inputs[1] == known ? node.inputs[0] : nullptr;
}

std::optional<double> constant_scalar(const Value* value) {
  if (value == nullptr || !value->numbers || value->numbers->size() != 1) return std::nullopt;
  return value->numbers->front();
}

bool is_vector_constant(const Value* value) {
  return value != nullptr && value->is_constant && value->sizes &&
         product(*value->sizes).value_or(0) > 1;
}

void become(Node& node, std::string op, std::vector<Value*> inputs) {
  node.op = std::move(op);
  node.domain.clear();
  node.row = find_operator(node.domain, node.op, node.version);
  node.proto = nullptr;
  node.made.clear();
  node.inputs = std::move(inputs);
}

void join_activation(Node& node) {
  if (node.outputs.empty() || node.outputs[0] == nullptr) return;
  if (node.op == "Erf") join_gelu(node);
  if (node.op == "Sigmoid") join_gated(node, "Swish");
  if (node.op == "HardSigmoid") join_gated(node, "HardSwish");
  if (clips_at_six(node)) join_hard(node);
  if (node.op != "Tanh") return;
  join_gelu(node);
  join_mish(node);
}

void connect(Graph& graph) {
  for (Node* node : graph.order) node->is_needed = graph.outputs.empty();
  std::vector<Node*> open;
  const auto need = [&](const Value* value) {
    if (value == nullptr || value->producer == nullptr || value->producer->is_needed) return;
    value->producer->is_needed = true;
    open.push_back(value->producer);
  };
  for (Value& value : graph.values) {
    value.consumers.clear();
    value.is_output = false;
  }
  const auto need_all = [&](Value* value) {
    value->is_output = true;
    need(value);
    if (value->items)
      for (Value* item : *value->items) {
        if (item != nullptr) item->is_output = true;
        need(item);
      }
  };
  for (Value* output : graph.outputs) need_all(output);
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    for (const Value* input : node->inputs) {
      need(input);
      if (input != nullptr && input->items)
        for (const Value* item : *input->items) need(item);
    }
  }
  std::erase_if(graph.order, [](const Node* node) { return !node->is_needed; });
  for (Node* node : graph.order)
    for (Value* input : node->inputs)
      if (input != nullptr && (input->consumers.empty() || input->consumers.back() != node))
        input->consumers.push_back(node);
}

void simplify(Graph& graph) {
  connect(graph);
  for (void (*join)(Node&) : {join_activation, join_norm, join_product}) {
    for (Node* node : graph.order) join(*node);
    connect(graph);
  }
}

}  // namespace roofline::onnx_graph
