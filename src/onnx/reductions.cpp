// Reductions along axes, and norms, which scale by them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

/// The stated axes, else all; nullopt if they depend on data.
std::optional<std::vector<bool>> reduced_axes(const Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const bool finds_a_place = node.row->type == element::int64;  // ArgMax, ArgMin: along one axis
  const auto stated = finds_a_place ? std::optional(Sizes{int_attribute(node, "axis", 0)})
                                    : ints_attribute_or_input(node, "axes", 1);
  if (node.input(1) != nullptr && !stated) return std::nullopt;
  const Sizes axes = stated.value_or(Sizes{});
  const bool takes_all = axes.empty() && int_attribute(node, "noop_with_empty_axes", 0) == 0;
  std::vector<bool> reduced(in.size(), takes_all);
  for (const std::int64_t axis : axes) reduced[axis_or_throw(axis, in.size())] = true;
  return reduced;
}

std::optional<Sizes> reduction_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const auto reduced = reduced_axes(node);
  if (!reduced) return std::nullopt;
  const bool keeps = int_attribute(node, "keepdims", 1) != 0;
  Sizes out;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (!(*reduced)[i] || keeps) out.push_back((*reduced)[i] ? 1 : in[i]);
  return out;
}

/// Reduced axes have size 1 in `kept`.
std::optional<Numbers> fold_reduction(const Node& node) {
  if (node.row->of_two == nullptr) return std::nullopt;
  const Sizes& in = sizes_of(node, 0);
  const std::vector<bool> reduced = reduced_axes(node).value();
  Sizes kept = in;
  double count = 1;
  for (std::size_t axis = 0; axis < in.size(); ++axis) {
    if (!reduced[axis]) continue;
    count *= static_cast<double>(in[axis]);
    kept[axis] = 1;
  }
  std::vector<std::optional<double>> sums(static_cast<std::size_t>(product(kept).value_or(0)));
  std::size_t at = 0;
  for (const Sizes& index : indices_of(in)) {
    std::optional<double>& sum = sums.at(offset(index, kept));
    const double next = numbers_of(node, 0).at(at++);
    sum = sum ? node.row->of_two(*sum, next) : next;
  }
  Numbers out;
  for (const auto& sum : sums)
    out.push_back(sum.value_or(node.op == "ReduceProd" ? 1 : 0) /
                  (node.op == "ReduceMean" ? count : 1));
  return out;
}

bool averages_positions(const Node& node, const Sizes& in) {
  const auto axes = ints_attribute_or_input(node, "axes", 1);
  return node.op == "ReduceMean" && in.size() >= 3 && in.size() <= most_operand_sizes && axes &&
         axes->size() + 2 == in.size() && std::ranges::all_of(*axes, [&](std::int64_t each) {
           return axis_at(each, in.size()).value_or(0) >= 2;
         });
}

std::optional<Sizes> global_sizes(Node& node) {
  Sizes out = sizes_of(node, 0);
  for (std::size_t axis = 2; axis < out.size(); ++axis) out[axis] = 1;
  return out;
}

void emit_reduction(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  const Value& result = *node.outputs[0];
  if (averages_positions(node, *operand.sizes))
    return emit_one_operand(emitter, node, LayerKind::global_avg_pool, operand);
  const bool is_same = product_or_throw(*operand.sizes) == product_or_throw(*result.sizes);
  if (is_same && (node.op == "ReduceMean" || node.op == "ReduceSum" || node.op == "ReduceMax" ||
                  node.op == "ReduceMin"))
    return emit_view(emitter, node);
  LayerSpec& spec = emitter.add(node, LayerKind::reduce);
  spec.input = Emitter::operand(operand);
  spec.output = layer_sizes(*result.sizes);
}

void emit_global_pool(Emitter& emitter, const Node& node) {
  const std::size_t rank = sizes_of(node, 0).size();
  if (rank < 3 || rank > most_operand_sizes) return emit_reduction(emitter, node);
  emit_one_operand(emitter, node, LayerKind::global_avg_pool, *node.input(0));
}

/// A norm of [N, C, ...] over the batch, each example, or groups of channels.
void emit_channel_norm(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  if (operand.sizes->size() < 2 || operand.sizes->size() > most_operand_sizes)
    return emit_by_bytes(emitter, node, no_fit);
  LayerSpec& spec = emitter.add(node, node.row->kind);
  spec.input = Emitter::operand(operand);
  if (spec.kind == LayerKind::group_norm)
    spec.groups =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, int_attribute(node, "num_groups", 1)));
  if (node.input(1) != nullptr) emitter.uses_weights(*node.input(1));
}

/// The normed axes, the last or a pattern's, are the features.
void emit_layer_norm(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  const Sizes& in = *operand.sizes;
  Sizes axes;
  if (const auto found = ints_attribute(node, "axes")) {
    axes = *found;
  } else {
    for (std::size_t axis = axis_of(node, -1, in.size()); axis < in.size(); ++axis)
      axes.push_back(static_cast<std::int64_t>(axis));
  }
  std::int64_t features = 1;
  for (const std::int64_t each : axes)
    features = product_or_throw({features, in[axis_or_throw(each, in.size())]});
  const bool is_last = axes.size() == 1 && in.size() <= most_operand_sizes &&
                       axis_or_throw(axes.front(), in.size()) + 1 == in.size();
  LayerSpec& spec = emitter.add(node, node.row->kind);
  spec.input =
      Emitter::operand(operand, is_last ? in : Sizes{product_or_throw(in) / features, features});
  spec.normalized_shape = {static_cast<std::uint64_t>(features)};
  if (node.input(1) != nullptr) emitter.uses_weights(*node.input(1));
}

constexpr Operator reduction{
    .sizes = reduction_sizes, .fold = fold_reduction, .layer = emit_reduction};
constexpr Operator channel_norm{.sizes = like_first, .layer = emit_channel_norm};
constexpr Operator layer_norm{.sizes = like_first, .layer = emit_layer_norm};
constexpr Operator reduction_rows[] = {
    row("ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare", reduction),
    row("ReduceMax", reduction, [](double a, double b) { return std::max(a, b); }),
    row("ReduceMin", reduction, [](double a, double b) { return std::min(a, b); }),
    row("ReduceProd", reduction, [](double a, double b) { return a * b; }),
    row("ReduceSum ReduceMean", reduction, [](double a, double b) { return a + b; }),
    row("ArgMax ArgMin", {}, reduction_sizes, element::int64, emit_reduction),

    row("GlobalAveragePool", {}, global_sizes, emit_global_pool),
    row("GlobalLpPool GlobalMaxPool", {}, global_sizes, emit_reduction),

    row("BatchNormalization", channel_norm, LayerKind::batch_norm),
    row("GroupNormalization", channel_norm, LayerKind::group_norm),
    row("InstanceNormalization", channel_norm, LayerKind::instance_norm),
    row("LayerNormalization", layer_norm, LayerKind::layer_norm),
    row("RMSNormalization SimplifiedLayerNormalization", layer_norm, LayerKind::rms_norm),
    row("SkipLayerNormalization SkipSimplifiedLayerNormalization", {}, like_first),
    // Elementwise, as far as we know.
    row("LRN", {}, like_first, emit_activation, LayerKind::local_response_norm),
    row("LpNormalization MeanVarianceNormalization", {}, like_first, emit_activation),
};

}  // namespace

std::span<const Operator> reduction_operators() { return reduction_rows; }

}  // namespace roofline::onnx_graph
