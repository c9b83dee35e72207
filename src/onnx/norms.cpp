// Norms.

#include <algorithm>

#include "onnx/families.hpp"
#include "onnx/operands.hpp"
#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

/// In training, batch norms give out statistics too: a number a channel.
void infer_batch_norm(Node& node) {
  infer_like_first(node);
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr || in->size() < 2) return;
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    set_result(node, i, {(*in)[1]}, type_at(node, 0));
}

/// Layer norms may give out the mean and the deviation of each row.
void infer_layer_norm(Node& node) {
  infer_like_first(node);
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr || node.outputs.size() < 2) return;
  Sizes out = *in;
  for (std::size_t i = axis_or_throw(int_attribute(node, "axis", -1), in->size()); i < out.size();
       ++i)
    out[i] = 1;
  for (std::size_t i = 1; i < node.outputs.size(); ++i) set_result(node, i, out, element::float32);
}

/// The scale, and the shift beside it, of a norm.
void set_affine(Emitter& emitter, const Node& node, LayerSpec& spec) {
  const Value* scale = node.input(1);
  if (scale == nullptr) return;
  spec.dtypes.weight = emitter.type_of(*scale);
  emitter.uses_weights(*scale);
}

void emit_batch_norm(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  if (operand.sizes->size() < 2 || operand.sizes->size() > 5)
    return emit_without_rule(emitter, node);
  LayerSpec& spec = emitter.add(node, node.row->kind);
  const bool is_first = Emitter::layout_of(operand) == Layout::first;
  spec.input = is_first ? Emitter::whole(operand) : Emitter::operand(operand);
  set_affine(emitter, node, spec);
  emitter.writes(node.outputs[0]);
}

/// Over the last axes, or over those that a pattern found, all of them as the features.
void emit_layer_norm(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  const Sizes& in = *operand.sizes;
  Sizes axes;
  if (const auto found = ints_attribute(node, "axes")) {
    axes = *found;
  } else {
    const auto first = normal_axis(int_attribute(node, "axis", -1), in.size());
    if (!first) throw NodeError{"axis: expected an axis of " + list_text(in)};
    for (std::size_t axis = *first; axis < in.size(); ++axis)
      axes.push_back(static_cast<std::int64_t>(axis));
  }
  std::int64_t features = 1;
  bool is_last = axes.size() == 1;
  for (const std::int64_t each : axes) {
    const auto axis = normal_axis(each, in.size());
    if (!axis) throw NodeError{"axes: expected axes of " + list_text(in)};
    is_last = is_last && *axis + 1 == in.size();
    features = product_or_throw({features, in[*axis]});
  }
  is_last = is_last && in.size() <= 5;
  LayerSpec& spec = emitter.add(node, node.row->kind);
  spec.input =
      Emitter::operand(operand, is_last ? in : Sizes{product_or_throw(in) / features, features});
  spec.normalized_shape = {static_cast<std::uint64_t>(features)};
  set_affine(emitter, node, spec);
  emitter.writes(node.outputs[0], Layout::last, is_last);
}

void emit_group_norm(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  if (operand.sizes->size() < 2 || operand.sizes->size() > 5)
    return emit_without_rule(emitter, node);
  LayerSpec& spec = emitter.add(node, LayerKind::group_norm);
  const bool is_first = Emitter::layout_of(operand) == Layout::first;
  spec.input = is_first ? Emitter::whole(operand) : Emitter::operand(operand);
  spec.groups =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, int_attribute(node, "num_groups", 1)));
  set_affine(emitter, node, spec);
  emitter.writes(node.outputs[0]);
}

/// Element by element, as far as we know them.
constexpr Operator other_norm{.sizes = infer_like_first, .layer = emit_activation};

constexpr Operator norm_rows[] = {
    {.name = "BatchNormalization",
     .sizes = infer_batch_norm,
     .layer = emit_batch_norm,
     .kind = LayerKind::batch_norm},
    {.name = "GroupNormalization", .sizes = infer_like_first, .layer = emit_group_norm},
    {.name = "InstanceNormalization",
     .sizes = infer_like_first,
     .layer = emit_batch_norm,
     .kind = LayerKind::instance_norm},
    {.name = "LayerNormalization",
     .sizes = infer_layer_norm,
     .layer = emit_layer_norm,
     .kind = LayerKind::layer_norm},
    {.name = "RMSNormalization",
     .sizes = infer_like_first,
     .layer = emit_layer_norm,
     .kind = LayerKind::rms_norm},
    {.name = "SimplifiedLayerNormalization",
     .sizes = infer_layer_norm,
     .layer = emit_layer_norm,
     .kind = LayerKind::rms_norm},
    {.name = "SkipLayerNormalization", .sizes = infer_like_first},
    {.name = "SkipSimplifiedLayerNormalization", .sizes = infer_like_first},
    row("LRN", other_norm, LayerKind::local_response_norm),
    row("LpNormalization", other_norm),
    row("MeanVarianceNormalization", other_norm),
};

}  // namespace

std::span<const Operator> norm_operators() { return norm_rows; }

}  // namespace roofline::onnx_graph
