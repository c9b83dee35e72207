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

std::optional<Sizes> global_sizes(Node& node) {
  Sizes out = sizes_of(node, 0);
  for (std::size_t axis = 2; axis < out.size(); ++axis) out[axis] = 1;
  return out;
}

/// The axes from `first` up to `end`.
std::vector<std::size_t> axes_between(std::size_t first, std::size_t end) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = first; axis < end; ++axis) axes.push_back(axis);
  return axes;
}

/// Along the axis; before set 13 all axes from it on are one row.
std::optional<Operation> along_rows(const Emitter& emitter, const Node& node) {
  constexpr std::int64_t first_along_axis = 13;
  const std::size_t rank = sizes_of(node, 0).size();
  const bool is_along_axis = emitter.version() >= first_along_axis;
  const std::int64_t stated = int_attribute(node, "axis", is_along_axis ? -1 : 1);
  const bool is_end = !is_along_axis && stated == static_cast<std::int64_t>(rank);
  const std::size_t axis = is_end ? rank : axis_or_throw(stated, rank);
  Operation operation =
      operation_of(emitter, node, {.axes = axes_between(axis, is_along_axis ? axis + 1 : rank)});
  if (is_end) {  // rows of one element
    operation.operands.front().sizes.push_back(1);
    operation.attributes.axes = {rank};
  }
  return operation;
}

std::optional<Operation> reduced(const Emitter& emitter, const Node& node) {
  const bool is_same =
      product_or_throw(sizes_of(node, 0)) == product_or_throw(*node.outputs[0]->sizes);
  if (is_same && (node.op == "ReduceMean" || node.op == "ReduceSum" || node.op == "ReduceMax" ||
                  node.op == "ReduceMin"))
    return view_of(node);
  Attributes attributes;
  if (const auto reduced = reduced_axes(node))
    for (std::size_t axis = 0; axis < reduced->size(); ++axis)
      if ((*reduced)[axis]) attributes.axes.push_back(axis);
  return operation_of(emitter, node, attributes);
}

/// A norm of [N, C, ...] over the batch, each example, or groups of channels.
std::optional<Operation> norm_of_channels(const Emitter& emitter, const Node& node) {
  const std::size_t rank = sizes_of(node, 0).size();
  if (rank < fewest_operand_sizes || rank > most_operand_sizes) return std::nullopt;
  const std::int64_t groups = std::max<std::int64_t>(0, int_attribute(node, "num_groups", 1));
  return operation_of(emitter, node, {.groups = static_cast<std::uint64_t>(groups)});
}

/// The normed axes, the last or a pattern's, are the features.
std::optional<Operation> norm_of_rows(const Emitter& emitter, const Node& node) {
  const Sizes& in = sizes_of(node, 0);
  Attributes attributes;
  if (const auto found = ints_attribute(node, "axes"))
    for (const std::int64_t axis : *found)
      attributes.axes.push_back(axis_or_throw(axis, in.size()));
  else
    attributes.axes = axes_between(axis_of(node, -1, in.size()), in.size());
  std::int64_t features = 1;
  for (const std::size_t axis : attributes.axes) features = product_or_throw({features, in[axis]});
  attributes.features = static_cast<std::uint64_t>(features);
  return operation_of(emitter, node, attributes);
}

constexpr Operator reduction{.sizes = reduction_sizes, .fold = fold_reduction, .state = reduced};
constexpr Operator channel_norm{.sizes = like_first, .state = norm_of_channels};
constexpr Operator layer_norm{.sizes = like_first, .state = norm_of_rows};
constexpr Operator reduction_rows[] = {
    rows_of("reduce", reduction),
    row("ReduceMax", reduction, [](double a, double b) { return std::max(a, b); }),
    row("ReduceMin", reduction, [](double a, double b) { return std::min(a, b); }),
    row("ReduceProd", reduction, [](double a, double b) { return a * b; }),
    row("ReduceSum ReduceMean", reduction, [](double a, double b) { return a + b; }),
    rows_of("argmax", {}, reduction_sizes, element::int64, reduced),

    rows_of("global_avg_pool global_max_pool", {}, global_sizes, as_stated),
    row("GlobalLpPool", {}, global_sizes, as_stated),
    rows_of("softmax hardmax", {}, like_first, along_rows),

    rows_of("batch_norm group_norm instance_norm", channel_norm),
    rows_of("layer_norm rms_norm", layer_norm),
    row("SkipLayerNormalization SkipSimplifiedLayerNormalization", {}, like_first),
    rows_of("local_response_norm", {}, like_first, as_stated),
};

}  // namespace

std::span<const Operator> reduction_operators() { return reduction_rows; }

}  // namespace roofline::onnx_graph
