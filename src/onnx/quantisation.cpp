// Types converted, tensors quantised, and operators on quantised tensors.

#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

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

/// The tensor, and the scale and the zero point that follow from its range.
std::optional<Sizes> quantise_dynamically_sizes(Node& node) {
  set_result(node, 1, {}, element::float32);
  set_result(node, 2, {}, element::uint8);
  return sizes_of(node, 0);
}

/// Floating-point numbers again, which stay stored as they were.
std::optional<Sizes> dequantise_sizes(Node& node) {
  const int scale = type_at(node, 1);
  node.outputs[0]->type = scale != 0 ? scale : static_cast<int>(element::float32);
  node.outputs[0]->stored_type = node.input(0)->type;
  return sizes_of(node, 0);
}

/// QONNX's: floating-point numbers, rounded to those that so many bits can state.
std::optional<Sizes> fake_quantise_sizes(Node& node) {
  constexpr double byte_bits = 8;
  const double bits = constant_scalar(node.input(3)).value_or(2 * byte_bits);
  if (bits <= byte_bits) node.outputs[0]->stored_type = bits <= 4 ? element::int4 : element::int8;
  return sizes_of(node, 0);
}

/// Converts each element where it stands.
void emit_conversion(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  LayerSpec& spec = emitter.add(node, LayerKind::copy);
  spec.input = Emitter::whole(operand);
  emitter.writes(node.outputs[0], Emitter::layout_of(operand));
}

void emit_cast(Emitter& emitter, const Node& node) {
  const bool is_same = emitter.type_of(*node.input(0)) == emitter.type_of(*node.outputs[0]);
  (is_same ? emit_view : emit_conversion)(emitter, node);
}

/// Whether the kernel before writes its result quantised: nothing else reads it.
bool is_fused(const Emitter& emitter, const Node& node) {
  return emitter.is_own_result(*node.input(0)) && only_reader(node.input(0)) == &node;
}

void emit_quantise(Emitter& emitter, const Node& node) {
  if (!is_fused(emitter, node)) return emit_conversion(emitter, node);
  emitter.view(node.outputs[0], node.input(0));
}

/// Whoever reads it reads the quantised tensor.
void emit_dequantise(Emitter& emitter, const Node& node) {
  if (!node.outputs[0]->is_output) return emitter.view(node);
  node.outputs[0]->stored_type = 0;
  emit_conversion(emitter, node);
}

void emit_fake_quantise(Emitter& emitter, const Node& node) {
  const bool is_view = is_fused(emitter, node) || node.outputs[0]->stored_type == 0;
  (is_view ? emit_view : emit_conversion)(emitter, node);
}

/// Operators of ONNX Runtime that read quantised tensors with a scale and a zero point each: what
/// they compute is what the operators whose name they have do, on every third input.
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

constexpr Operator quantisation_rows[] = {
    {.name = "Cast",
     .sizes = cast_sizes,
     .fold = fold_same,
     .layer = emit_cast,
     .keeps_weights = true},
    {.name = "CastLike", .sizes = cast_like_sizes, .fold = fold_same, .layer = emit_cast},
    {.name = "QuantizeLinear", .sizes = quantise_sizes, .layer = emit_quantise},
    {.name = "DynamicQuantizeLinear",
     .sizes = quantise_dynamically_sizes,
     .type = element::uint8,
     .layer = emit_conversion},
    {.name = "DequantizeLinear",
     .sizes = dequantise_sizes,
     .layer = emit_dequantise,
     .keeps_weights = true},
    {.name = "Quant IntQuant",
     .domain = qonnx,
     .sizes = fake_quantise_sizes,
     .layer = emit_fake_quantise,
     .keeps_weights = true},
    {.name = "QLinearAdd QLinearMul", .domain = microsoft, .write_out = make_plain<0, 2>},
    {.name = "QLinearAveragePool QLinearGlobalAveragePool QLinearLeakyRelu QLinearSigmoid "
             "QLinearSoftmax",
     .domain = microsoft,
     .write_out = make_plain<0, 1>},
    {.name = "QLinearConcat", .domain = microsoft, .write_out = make_plain<2, SIZE_MAX>},
};

}  // namespace

std::span<const Operator> quantisation_operators() { return quantisation_rows; }

}  // namespace roofline::onnx_graph
