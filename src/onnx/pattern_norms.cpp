// Norms from their formulas.

#include "onnx/patterns.hpp"

namespace roofline::onnx_graph {
namespace {

/// A product or sum with a vector of learned numbers after a value, where there is one.
struct Affine {
  Node* last;
  Value* gamma = nullptr;
  Value* beta = nullptr;
};
Affine follow_affine(Node& normalised, bool has_shift) {
  Affine found{&normalised};
  const auto step = [&](std::string_view op) -> Value* {
    Node* next = only_reader(found.last->outputs[0]);
    if (next != nullptr && next->op == "Cast") next = only_reader(next->outputs[0]);
    if (next == nullptr || next->op != op) return nullptr;
    for (Value* operand : next->inputs)
      if (is_vector_constant(operand)) {
        found.last = next;
        return operand;
      }
    return nullptr;
  };
  found.gamma = step("Mul");
  if (found.gamma != nullptr && has_shift) found.beta = step("Add");
  return found;
}

/// The value of which `value` is the square.
Value* root_of_square(const Value* value) {
  const Node* node = value == nullptr ? nullptr : value->producer;
  if (node == nullptr || node->inputs.size() != 2) return nullptr;
  if (node->op == "Mul" && node->inputs[0] == node->inputs[1]) return node->inputs[0];
  const bool squares = node->op == "Pow" && constant_scalar(node->inputs[1]) == 2.0;
  return squares ? node->inputs[0] : nullptr;
}

/// sqrt(mean(square) + epsilon), from the root back.
struct Deviation {
  Value* operand = nullptr;  ///< that is squared
  Sizes axes;
};
std::optional<Deviation> deviation_of(const Node& root) {
  Node* node = root.input(0) == nullptr ? nullptr : root.input(0)->producer;
  if (node != nullptr && node->op == "Add" && node->inputs.size() == 2)
    for (Value* operand : node->inputs)
      if (!constant_scalar(operand)) {
        node = operand->producer;
        break;
      }
  if (node == nullptr || node->op != "ReduceMean") return std::nullopt;
  const auto axes = ints_attribute_or_input(*node, "axes", 1);
  Value* operand = root_of_square(node->input(0));
  if (!axes || axes->empty() || operand == nullptr) return std::nullopt;
  return Deviation{operand, *axes};
}

/// Whether `value` is x less its mean.
bool is_centred(const Value* value, const Value* x) {
  const Node* minus = maker(value, "Sub");
  return minus != nullptr && minus->input(0) == x &&
         maker(minus->input(1), "ReduceMean") != nullptr;
}

/// The node that divides by the root: x / root, x * (1 / root).
Node* quotient(const Node& root) {
  Node* next = only_reader(root.outputs[0]);
  if (next == nullptr) return nullptr;
  const bool inverts =
      next->op == "Reciprocal" || (next->op == "Div" && constant_scalar(next->input(0)) == 1.0);
  if (!inverts) return next->op == "Div" && next->input(1) == root.outputs[0] ? next : nullptr;
  Node* product = only_reader(next->outputs[0]);
  return product != nullptr && product->op == "Mul" ? product : nullptr;
}

void join_formula(Node& root) {
  const auto deviation = deviation_of(root);
  Node* normalised = deviation ? quotient(root) : nullptr;
  if (normalised == nullptr || normalised->inputs.size() != 2) return;
  // What is normalised, beside the deviation.
  Value* numerator = nullptr;
  for (Value* operand : normalised->inputs)
    if (operand == deviation->operand || maker(operand, "Sub") != nullptr) numerator = operand;
  if (numerator == nullptr) return;
  Node* minus = maker(deviation->operand, "Sub");
  Value* x = minus != nullptr && !minus->inputs.empty() ? minus->inputs[0] : deviation->operand;
  const bool is_layer_norm =
      x != nullptr && is_centred(deviation->operand, x) && is_centred(numerator, x);
  if (!is_layer_norm && numerator != deviation->operand) return;
  if (!is_layer_norm) x = deviation->operand;
  const Affine affine = follow_affine(*normalised, is_layer_norm);
  become(*affine.last, is_layer_norm ? "LayerNormalization" : "RMSNormalization",
         {x, affine.gamma, affine.beta});
  affine.last->made["axes"] = deviation->axes;
}

/// Exporters write a group norm as an instance norm of the groups.
void join_group_norm(Node& norm) {
  Node* grouped = maker(norm.input(0), "Reshape");
  Node* back = only_reader(norm.outputs[0]);
  if (grouped == nullptr || back == nullptr || back->op != "Reshape") return;
  Value* x = grouped->inputs.front();
  const auto& groups = norm.input(0)->sizes;
  if (x == nullptr || !x->sizes || back->outputs[0]->sizes != x->sizes || !groups ||
      groups->size() < 2 || x->sizes->size() < 2)
    return;
  const Affine affine = follow_affine(*back, true);
  const std::int64_t group_count = (*groups)[1];
  become(*affine.last, "GroupNormalization", {x, affine.gamma, affine.beta});
  affine.last->made["num_groups"] = {group_count};
}

}  // namespace

void join_norm(Node& node) {
  if (node.outputs.empty() || node.outputs[0] == nullptr) return;
  if (node.op == "Sqrt") join_formula(node);
  if (node.op == "InstanceNormalization") join_group_norm(node);
}

}  // namespace roofline::onnx_graph
