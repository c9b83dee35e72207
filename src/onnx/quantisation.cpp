// Types converted, tensors quantised, and operators on quantised tensors.

#include <algorithm>

#include "onnx/families.hpp"
#include "onnx/operands.hpp"
#include "onnx/operators.hpp"
#include "onnx/patterns.hpp"

namespace roofline::onnx_graph {
namespace {

void infer_as(Node& node, int type) {
  if (const Sizes* in = sizes_at(node, 0)) set_result(node, 0, *in, type);
}

void infer_cast(Node& node) {
  infer_as(node, static_cast<int>(int_attribute(node, "to", type_at(node, 0))));
}

void infer_cast_like(Node& node) { infer_as(node, type_at(node, 1)); }

void infer_quantise(Node& node) {
  const auto stated = static_cast<int>(int_attribute(node, "output_dtype", 0));
  const int type = node.input(2) != nullptr ? type_at(node, 2) : stated;
  infer_as(node, type != 0 ? type : element::uint8);
}

void infer_quantise_dynamically(Node& node) {
  infer_as(node, element::uint8);
  set_result(node, 1, {}, element::float32);
  set_result(node, 2, {}, element::uint8);
}

/// Of floating-point numbers, which stay stored as they were.
void infer_dequantise(Node& node) {
  const int scale = type_at(node, 1);
  infer_as(node, scale != 0 ? scale : static_cast<int>(element::float32));
  if (node.input(0) != nullptr) node.outputs[0]->stored_type = node.input(0)->type;
}

/// QONNX's: floating-point numbers, rounded to those that so many bits can state.
void infer_fake_quantise(Node& node) {
  infer_like_first(node);
  constexpr double byte_bits = 8;
  const Value* bits = node.input(3);
  const bool is_known = bits != nullptr && bits->numbers && bits->numbers->size() == 1;
  const double width = is_known ? bits->numbers->front() : 2 * byte_bits;
  if (width <= byte_bits) node.outputs[0]->stored_type = width <= 4 ? element::int4 : element::int8;
}

/// Of one bit each, in the narrowest type that there is.
void infer_bipolar(Node& node) {
  infer_like_first(node);
  node.outputs[0]->stored_type = element::int4;
}

/// Converts each element where it stands.
void emit_conversion(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  LayerSpec& spec = emitter.add(node, LayerKind::copy);
  spec.input = Emitter::whole(operand);
  emitter.writes(node.outputs[0], Emitter::layout_of(operand));
}

void emit_cast(Emitter& emitter, const Node& node) {
  if (emitter.type_of(*node.input(0)) == emitter.type_of(*node.outputs[0]))
    return emitter.view(node);
  emit_conversion(emitter, node);
}

/// The kernel before writes its result quantised, where nothing else reads it.
void emit_quantise(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  if (node.op == "QuantizeLinear" && emitter.is_own_result(operand) &&
      only_reader(&operand) == &node)
    return emitter.view(node.outputs[0], &operand);
  emit_conversion(emitter, node);
}

/// Whoever reads it reads the quantised tensor.
void emit_dequantise(Emitter& emitter, const Node& node) {
  if (!node.outputs[0]->is_output) return emitter.view(node);
  node.outputs[0]->stored_type = 0;
  emit_conversion(emitter, node);
}

/// What computes the tensor writes it in that type, where nothing else reads it.
void emit_fake_quantise(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  const bool is_fused = emitter.is_own_result(operand) && only_reader(&operand) == &node;
  if (is_fused || node.outputs[0]->stored_type == 0) return emitter.view(node);
  emit_conversion(emitter, node);
}

/// Operators of ONNX Runtime that read quantised tensors with a scale and a zero point each: what
/// they compute is what the operators of which they have the name do, on every third input.
template <std::size_t First, std::size_t Most>
bool make_plain(Builder& /*builder*/, Node& node, Scope& /*scope*/) {
  std::vector<Value*> tensors;
  for (std::size_t i = First; i < node.inputs.size() && tensors.size() < Most; i += 3)
    tensors.push_back(node.inputs[i]);
  node.op.erase(0, std::string_view("QLinear").size());
  node.domain.clear();
  node.inputs = std::move(tensors);
  return false;
}

/// How QONNX's operators on whole tensors are read.
constexpr Operator of_qonnx{.domain = qonnx,
                            .sizes = infer_fake_quantise,
                            .layer = emit_fake_quantise,
                            .keeps_weights = true};

constexpr Operator of_one_tensor{.domain = microsoft, .write_out = make_plain<0, 1>};
constexpr Operator of_two_tensors{.domain = microsoft, .write_out = make_plain<0, 2>};

constexpr Operator quantisation_rows[] = {
    {.name = "Cast",
     .sizes = infer_cast,
     .fold = fold_same,
     .layer = emit_cast,
     .keeps_weights = true},
    {.name = "CastLike", .sizes = infer_cast_like, .fold = fold_same, .layer = emit_cast},
    {.name = "QuantizeLinear", .sizes = infer_quantise, .layer = emit_quantise},
    {.name = "DynamicQuantizeLinear", .sizes = infer_quantise_dynamically, .layer = emit_quantise},
    {.name = "DequantizeLinear",
     .sizes = infer_dequantise,
     .layer = emit_dequantise,
     .keeps_weights = true},
    row("Quant", of_qonnx),
    row("IntQuant", of_qonnx),
    {.name = "BipolarQuant",
     .domain = qonnx,
     .sizes = infer_bipolar,
     .layer = emit_fake_quantise,
     .keeps_weights = true},
    {.name = "Trunc", .domain = qonnx, .sizes = infer_like_first, .layer = emit_view},
    row("QLinearAdd", of_two_tensors),
    row("QLinearMul", of_two_tensors),
    row("QLinearAveragePool", of_one_tensor),
    row("QLinearGlobalAveragePool", of_one_tensor),
    row("QLinearLeakyRelu", of_one_tensor),
    row("QLinearSigmoid", of_one_tensor),
    row("QLinearSoftmax", of_one_tensor),
    {.name = "QLinearConcat", .domain = microsoft, .write_out = make_plain<2, SIZE_MAX>},
};

}  // namespace

std::span<const Operator> quantisation_operators() { return quantisation_rows; }

}  // namespace roofline::onnx_graph
