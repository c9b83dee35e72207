// Elements chosen, by place, by index or by value. How many they are may depend on data: then the
// most that there can be.

#include <algorithm>
#include <cstdlib>

#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

/// What Slice takes of one axis: `count` elements, `step` apart.
struct Slice {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

/// What a slice from start up to end takes of an axis of that size.
Slice slice_of(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (step == 0) fail("steps: expected a number that is not 0", "0");
  constexpr std::int64_t longest_step = 1LL << 31;
  step = std::clamp(step, -longest_step, longest_step);
  if (size == 0) return {0, step, 0};
  if (start < 0) start += size;
  if (end < 0) end += size;
  const std::int64_t low = step < 0 ? -1 : 0;
  const std::int64_t high = step < 0 ? size - 1 : size;
  start = std::max<std::int64_t>(0, std::min(start, high));
  end = std::max(low, std::min(end, size));
  const std::int64_t span = step < 0 ? start - end : end - start;
  return {start, step, span <= 0 ? 0 : (span - 1) / std::abs(step) + 1};
}

/// One an axis; none where bounds depend on data. Throws NodeError.
std::optional<std::vector<Slice>> slices_of(const Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const auto starts = ints_attribute_or_input(node, "starts", 1);
  const auto ends = ints_attribute_or_input(node, "ends", 2);
  const auto axes = ints_attribute_or_input(node, "axes", 3);
  const auto steps = integers(node.input(4));
  if (!starts || !ends || (node.input(3) != nullptr && !axes)) return std::nullopt;
  std::vector<Slice> slices;
  for (const std::int64_t size : in) slices.push_back({0, 1, size});
  for (std::size_t i = 0; i < starts->size(); ++i) {
    if (i >= ends->size() || (axes && i >= axes->size()) || (steps && i >= steps->size()))
      fail("expected as many ends, axes and steps as starts",
           list_text(*starts) + " and " + list_text(*ends));
    const std::size_t axis =
        axis_or_throw(axes ? (*axes)[i] : static_cast<std::int64_t>(i), in.size());
    slices[axis] = slice_of(in[axis], (*starts)[i], (*ends)[i], steps ? (*steps)[i] : 1);
  }
  return slices;
}

std::optional<Sizes> slice_sizes(Node& node) {
  const auto slices = slices_of(node);
  node.is_largest = !slices;
  if (!slices) return sizes_of(node, 0);
  Sizes out;
  for (const Slice& slice : *slices) out.push_back(slice.count);
  return out;
}

std::optional<Numbers> fold_slice(const Node& node) {
  const auto slices = slices_of(node);
  if (!slices) return std::nullopt;
  return of_each_index(node, [&](Sizes index) {
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      index[axis] = slices->at(axis).first + index[axis] * slices->at(axis).step;
    return element_at(node, 0, index);
  });
}

/// What is chosen is read, not the rest.
void emit_selection(Emitter& emitter, const Node& node) {
  emit_move(emitter, node, *node.outputs[0]->sizes);
}

/// All of it, in its order, is a view.
void emit_slice(Emitter& emitter, const Node& node) {
  const auto steps = integers(node.input(4));
  const bool is_forward = !steps || std::all_of(steps->begin(), steps->end(),
                                                [](std::int64_t step) { return step > 0; });
  if (is_forward && node.input(0)->sizes == node.outputs[0]->sizes) return emitter.view(node);
  emit_selection(emitter, node);
}

/// Rows chosen by indices, which may have any rank.
std::optional<Sizes> gather_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const std::size_t axis = axis_of(node, 0, in.size());
  return chained(chained(part(in, 0, axis), sizes_of(node, 1)), part(in, axis + 1));
}

std::optional<Numbers> fold_gather(const Node& node) {
  const Sizes& data = sizes_of(node, 0);
  const std::size_t axis = axis_of(node, 0, data.size());
  const std::size_t behind = axis + sizes_of(node, 1).size();
  return of_each_index(node, [&](const Sizes& index) {
    const std::int64_t chosen = whole_number(element_at(node, 1, part(index, axis, behind)));
    const std::int64_t row = chosen < 0 ? chosen + data[axis] : chosen;
    return element_at(node, 0, chained(chained(part(index, 0, axis), {row}), part(index, behind)));
  });
}

/// Only the chosen rows are read, also where the table is learned.
void emit_gather(Emitter& emitter, const Node& node) {
  const Value& table = *node.input(0);
  if (table.learned != product_or_throw(*table.sizes)) return emit_selection(emitter, node);
  emit_move(emitter, node, chained({1}, *table.sizes));
  emitter.uses_weights(table);
}

std::optional<Sizes> gather_nd_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const Sizes& indices = sizes_of(node, 1);
  if (indices.empty()) return std::nullopt;
  const std::int64_t batch_axes = int_attribute(node, "batch_dims", 0);
  const std::int64_t indexed = indices.back();
  const auto rank = static_cast<std::int64_t>(in.size());
  if (batch_axes < 0 || indexed < 1 || indexed > rank || batch_axes > rank - indexed)
    fail("expected indices of at most " + std::to_string(rank) + " axes", indices);
  return chained(part(indices, 0, indices.size() - 1),
                 part(in, static_cast<std::size_t>(batch_axes + indexed)));
}

/// How many of a value's elements are not 0: at most all of them, where that depends on data.
std::int64_t count_of_true(Node& node, const Value* value, std::int64_t all) {
  if (value->numbers)
    return std::count_if(value->numbers->begin(), value->numbers->end(),
                         [](double x) { return x != 0; });
  node.is_largest = true;
  return all;
}

/// Where a condition holds, of an axis, or of all elements one after the other.
std::optional<Sizes> compress_sizes(Node& node) {
  if (node.input(1) == nullptr) return std::nullopt;
  const bool has_axis = find_attribute(node, "axis") != nullptr;
  Sizes out = has_axis ? sizes_of(node, 0) : Sizes{product_or_throw(sizes_of(node, 0))};
  std::int64_t& size = out[has_axis ? axis_of(node, 0, out.size()) : 0];
  size = count_of_true(node, node.input(1), size);
  return out;
}

std::optional<Sizes> non_zero_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  return Sizes{static_cast<std::int64_t>(in.size()),
               count_of_true(node, node.input(0), product_or_throw(in))};
}

/// The different ones, where each first stands, which one each is, and how many of each there are.
std::optional<Sizes> unique_sizes(Node& node) {
  const bool has_axis = find_attribute(node, "axis") != nullptr;
  const Sizes out = has_axis ? sizes_of(node, 0) : Sizes{product_or_throw(sizes_of(node, 0))};
  node.is_largest = true;
  const std::int64_t count = out[has_axis ? axis_of(node, 0, out.size()) : 0];
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    set_result(node, i, {count}, element::int64);
  return out;
}

/// [boxes, 4] candidates and [batch, classes, boxes] scores: the most that each class may keep.
std::optional<Sizes> non_max_suppression_sizes(Node& node) {
  const Sizes& scores = sizes_of(node, 1);
  if (scores.size() != 3) return std::nullopt;
  const std::int64_t most = std::max<std::int64_t>(0, integer(node.input(2)).value_or(scores[2]));
  node.is_largest = true;
  return Sizes{product_or_throw({scores[0], scores[1], std::min(scores[2], most)}), 3};
}

/// The largest ones, and where they stand.
std::optional<Sizes> top_k_sizes(Node& node) {
  Sizes out = sizes_of(node, 0);
  std::int64_t& size = out[axis_of(node, -1, out.size())];
  const bool is_attribute = find_attribute(node, "k") != nullptr;
  const auto k =
      is_attribute ? std::optional(int_attribute(node, "k", size)) : integer(node.input(1));
  node.is_largest = !k;
  size = std::clamp<std::int64_t>(k.value_or(size), 0, size);
  set_result(node, 1, out, element::int64);
  return out;
}

std::optional<Sizes> one_hot_sizes(Node& node) {
  const auto depth = integer(node.input(1));
  if (!depth) return std::nullopt;
  Sizes out = sizes_of(node, 0);
  const std::size_t axis = axis_of(node, -1, out.size() + 1);
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), *depth);
  node.outputs[0]->type = type_at(node, 2);
  return out;
}

constexpr Operator selection_rows[] = {
    {.name = "Compress", .sizes = compress_sizes, .layer = emit_selection},
    {.name = "Gather",
     .needs = 2,
     .sizes = gather_sizes,
     .fold = fold_gather,
     .layer = emit_gather},
    {.name = "GatherElements",
     .needs = 2,
     .sizes = [](Node& node) { return std::optional(sizes_of(node, 1)); },
     .layer = emit_selection},
    {.name = "GatherND", .needs = 2, .sizes = gather_nd_sizes, .layer = emit_selection},
    {.name = "NonMaxSuppression",
     .needs = 2,
     .sizes = non_max_suppression_sizes,
     .type = element::int64},
    {.name = "NonZero", .sizes = non_zero_sizes, .type = element::int64},
    {.name = "OneHot", .sizes = one_hot_sizes},
    {.name = "Slice", .sizes = slice_sizes, .fold = fold_slice, .layer = emit_slice},
    {.name = "TopK", .sizes = top_k_sizes},
    {.name = "Unique", .sizes = unique_sizes},
    {.name = "Scatter ScatterElements ScatterND", .sizes = like_first, .layer = emit_bytes},
};

}  // namespace

std::span<const Operator> selection_operators() { return selection_rows; }

}  // namespace roofline::onnx_graph
