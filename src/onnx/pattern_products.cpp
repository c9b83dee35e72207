// Products and convolutions with what runtimes do in the same kernel: the bias added after them,
// the padding before.

#include <algorithm>

#include "onnx/patterns.hpp"
#include "onnx/products.hpp"

namespace roofline::onnx_graph {
namespace {

/// The sum of a value and a constant vector of that many elements, all on one axis counted from the
/// end.
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

void join_matrix_bias(Node& node) {
  const bool has_bias = matrix_operands(node)->bias.has_value();
  const Value* weights = node.input(matrix_operands(node)->b);
  const auto sizes = has_bias ? std::nullopt : matrix_product(node);
  if (!sizes || weights == nullptr || !weights->is_constant) return;
  Node* sum = sum_with_bias(node.outputs[0], sizes->n, 0);
  if (sum == nullptr) return;
  Value* bias = other_operand(*sum, node.outputs[0]);
  const MatrixOperands operands = *matrix_operands(node);
  sum->name = node.name;
  sum->origin = node.origin;
  become(*sum, "Linear", {node.inputs[operands.a], node.inputs[operands.b], bias});
  sum->made["transA"] = {operands.transposes_a ? 1 : 0};
  sum->made["transB"] = {operands.transposes_b ? 1 : 0};
}

void join_convolution_bias(Node& node) {
  if (node.inputs.size() != 2 || !node.outputs[0]->sizes || node.outputs[0]->sizes->size() < 3)
    return;
  const Sizes& out = *node.outputs[0]->sizes;
  Node* sum = sum_with_bias(node.outputs[0], out[1], out.size() - 2);
  if (sum == nullptr) return;
  Value* bias = other_operand(*sum, node.outputs[0]);
  const auto* proto = node.proto;
  const auto made = node.made;
  sum->name = node.name;
  sum->origin = node.origin;
  become(*sum, node.op, {node.inputs[0], node.inputs[1], bias});
  sum->proto = proto;
  sum->made = made;
}

/// Zeros around the operand, along its spatial axes only.
void join_padding(Node& node) {
  const Node* pad = maker(node.input(0), "Pad");
  if (pad == nullptr || only_reader(node.input(0)) != &node || node.op == "ConvTranspose" ||
      text_attribute(*pad, "mode", "constant") != "constant" ||
      text_attribute(node, "auto_pad", "NOTSET") != "NOTSET")
    return;
  const bool is_zero = (pad->input(2) == nullptr || constant_scalar(pad->input(2)) == 0.0) &&
                       float_attribute(*pad, "value", 0) == 0;
  const auto around = ints_attribute_or_input(*pad, "pads", 1);
  const Value* operand = pad->input(0);
  if (!is_zero || !around || pad->input(3) != nullptr || operand == nullptr || !operand->sizes)
    return;
  const std::size_t rank = operand->sizes->size();
  constexpr std::int64_t most_padding = 1LL << 31;
  if (rank < 3 || around->size() != 2 * rank ||
      std::any_of(around->begin(), around->end(),
                  [](std::int64_t each) { return each < 0 || each > most_padding; }))
    return;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}, rank, rank + 1})
    if ((*around)[axis] != 0) return;
  Sizes pads = ints_attribute(node, "pads").value_or(Sizes(2 * (rank - 2), 0));
  if (pads.size() != 2 * (rank - 2)) return;
  for (std::size_t i = 0; i < rank - 2; ++i) {
    pads[i] += (*around)[2 + i];
    pads[rank - 2 + i] += (*around)[rank + 2 + i];
  }
  node.made["pads"] = pads;
  node.inputs[0] = pad->inputs[0];
}

}  // namespace

void join_product(Node& node) {
  if (node.outputs.empty() || node.outputs[0] == nullptr) return;
  if (matrix_operands(node)) join_matrix_bias(node);
  if (node.op == "Conv" || node.op == "ConvTranspose") {
    join_padding(node);
    join_convolution_bias(node);
  }
}

}  // namespace roofline::onnx_graph
