// Sizes where operands are multiplied or reduced.

#include <algorithm>

#include "load/onnx/products.hpp"
#include "load/onnx/sizes.hpp"

namespace roofline::onnx_graph {
namespace {

using Tensor = ::onnx::TensorProto;

int product_type(const Node& node) {
  if (node.op == "MatMulInteger") return Tensor::INT32;
  if (node.op == "QLinearMatMul" && node.input(7) != nullptr) return node.input(7)->type;
  return node.input(0) != nullptr ? node.input(0)->type : 0;
}

void infer_reduction(Node& node) {
  const Value* operand = node.input(0);
  if (operand == nullptr || !operand->sizes) return;
  const Sizes& in = *operand->sizes;
  const auto axes = ints_attribute_or_input(node, "axes", 1);
  const bool all = !axes || axes->empty();
  const bool keeps = int_attribute(node, "keepdims", 1) != 0;
  if (node.input(1) != nullptr && !axes) return;  // which axes depends on data
  if (all && int_attribute(node, "noop_with_empty_axes", 0) != 0)
    return set_result(node, 0, in, operand->type);
  std::vector<bool> reduced(in.size(), all);
  if (axes)
    for (const std::int64_t stated : *axes) {
      const auto axis = normal_axis(stated, in.size());
      if (!axis)
        throw NodeError{"axes: expected axes of " + list_text(in) + ", got " + list_text(*axes)};
      reduced[*axis] = true;
    }
  Sizes out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!reduced[i])
      out.push_back(in[i]);
    else if (keeps)
      out.push_back(1);
  }
  set_result(node, 0, out, operand->type);
}

/// The largest element's place along one axis.
void infer_arg(Node& node) {
  const Value* operand = node.input(0);
  if (operand == nullptr || !operand->sizes) return;
  Sizes out = *operand->sizes;
  const auto axis = normal_axis(int_attribute(node, "axis", 0), out.size());
  if (!axis) throw NodeError{"axis: expected an axis of " + list_text(out)};
  if (int_attribute(node, "keepdims", 1) != 0)
    out[*axis] = 1;
  else
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(*axis));
  set_result(node, 0, out, Tensor::INT64);
}

void infer_attention(Node& node) {
  const auto sizes = attention_sizes(node);
  if (!sizes) return;
  const int type = node.input(0)->type;
  set_result(node, 0, sizes->result, type);
  const Sizes present{sizes->batch, sizes->kv_heads, sizes->keys, sizes->head_size};
  set_result(node, 1, present, type);
  set_result(node, 2, {sizes->batch, sizes->kv_heads, sizes->keys, sizes->value_head_size}, type);
  set_result(node, 3, {sizes->batch, sizes->heads, sizes->queries, sizes->keys}, type);
}

}  // namespace

bool infer_product_sizes(Node& node) {
  if (matrix_operands(node)) {
    if (const auto product = matrix_product(node))
      set_result(node, 0, product->result, product_type(node));
    return true;
  }
  if (node.op == "Einsum") {
    if (const auto sizes = einsum_result(node)) set_result(node, 0, *sizes, product_type(node));
    return true;
  }
  if (is_attention(node)) return infer_attention(node), true;
  if (node.op.starts_with("Reduce")) return infer_reduction(node), true;
  if (node.op == "ArgMax" || node.op == "ArgMin") return infer_arg(node), true;
  return false;
}

}  // namespace roofline::onnx_graph
