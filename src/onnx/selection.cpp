// Elements chosen, by place, by index or by value. How many they are may depend on data: then the
// most that there can be.

#include <algorithm>

#include "onnx/families.hpp"
#include "onnx/operands.hpp"
#include "onnx/operators.hpp"

namespace roofline::onnx_graph {
namespace {

/// How many elements from start up to end by steps, of an axis of that size.
std::int64_t slice_count(std::int64_t size, std::int64_t start, std::int64_t end,
                         std::int64_t step) {
  if (size == 0) return 0;
  if (start < 0) start += size;
  if (end < 0) end += size;
  const std::int64_t low = step < 0 ? -1 : 0;
  const std::int64_t high = step < 0 ? size - 1 : size;
  start = std::max<std::int64_t>(0, std::min(start, high));
  end = std::max(low, std::min(end, size));
  const std::int64_t span = step < 0 ? start - end : end - start;
  const std::int64_t stride = step < 0 ? -step : step;
  return span <= 0 ? 0 : (span - 1) / stride + 1;
}

/// Bounds that depend on data leave the whole axis.
void infer_slice(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr) return;
  const auto starts = ints_attribute_or_input(node, "starts", 1);
  const auto ends = ints_attribute_or_input(node, "ends", 2);
  const auto axes = ints_attribute_or_input(node, "axes", 3);
  const auto steps = integers(node.input(4));
  Sizes out = *in;
  if (!starts || !ends || (node.input(3) != nullptr && !axes)) {
    node.is_largest = true;
    return set_result(node, 0, out, type_at(node, 0));
  }
  for (std::size_t i = 0; i < starts->size(); ++i) {
    if (i >= ends->size() || (axes && i >= axes->size()) || (steps && i >= steps->size()))
      throw NodeError{"expected as many ends, axes and steps as starts, got " + list_text(*starts) +
                      " and " + list_text(*ends)};
    const std::size_t axis =
        axis_or_throw(axes ? (*axes)[i] : static_cast<std::int64_t>(i), in->size());
    const std::int64_t step = steps ? (*steps)[i] : 1;
    if (step == 0) throw NodeError{"steps: expected a number that is not 0, got 0"};
    out[axis] = slice_count((*in)[axis], (*starts)[i], (*ends)[i], step);
  }
  set_result(node, 0, out, type_at(node, 0));
}

std::optional<Numbers> fold_slice(const Node& node) {
  const Sizes& data = sizes_of(node, 0);
  const auto starts = ints_attribute_or_input(node, "starts", 1);
  const auto stated = ints_attribute_or_input(node, "axes", 3);
  const auto steps = integers(node.input(4));
  if (!starts) return std::nullopt;
  Sizes first(data.size(), 0);
  Sizes step(data.size(), 1);
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const auto axis =
        stated ? (i < stated->size() ? normal_axis((*stated)[i], data.size()) : std::nullopt)
               : (i < data.size() ? std::optional(i) : std::nullopt);
    if (!axis || (steps && i >= steps->size())) return std::nullopt;
    constexpr std::int64_t longest_step = 1LL << 31;
    if (steps) step[*axis] = std::clamp((*steps)[i], -longest_step, longest_step);
    const std::int64_t size = data[*axis];
    const std::int64_t start = (*starts)[i] < 0 ? (*starts)[i] + size : (*starts)[i];
    const std::int64_t last = step[*axis] < 0 ? size - 1 : size;
    first[*axis] = std::max<std::int64_t>(0, std::min(start, last));
  }
  return of_each_index(node, [&](Sizes index) {
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      index[axis] = first[axis] + index[axis] * step[axis];
    return element_at(node, 0, index);
  });
}

/// What is chosen is read, not the rest.
void emit_selection(Emitter& emitter, const Node& node) {
  const auto steps = integers(node.input(4));
  const bool is_forward =
      node.op == "Slice" && (!steps || std::all_of(steps->begin(), steps->end(),
                                                   [](std::int64_t step) { return step > 0; }));
  if (is_forward && node.input(0)->sizes == node.outputs[0]->sizes) return emitter.view(node);
  emit_move(emitter, node, *node.outputs[0]->sizes);
}

/// Rows chosen by indices; on any rank of indices.
void infer_gather(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const Sizes* indices = sizes_at(node, 1);
  if (in == nullptr || indices == nullptr) return;
  const std::size_t axis = axis_or_throw(int_attribute(node, "axis", 0), in->size());
  Sizes out(in->begin(), in->begin() + static_cast<std::ptrdiff_t>(axis));
  out.insert(out.end(), indices->begin(), indices->end());
  out.insert(out.end(), in->begin() + static_cast<std::ptrdiff_t>(axis) + 1, in->end());
  set_result(node, 0, out, type_at(node, 0));
}

std::optional<Numbers> fold_gather(const Node& node) {
  const Sizes& data = sizes_of(node, 0);
  const std::size_t axis = axis_or_throw(int_attribute(node, "axis", 0), data.size());
  const std::size_t index_rank = sizes_of(node, 1).size();
  return of_each_index(node, [&](const Sizes& index) {
    const auto at = index.begin() + static_cast<std::ptrdiff_t>(axis);
    const auto behind = at + static_cast<std::ptrdiff_t>(index_rank);
    const std::int64_t chosen = whole_number(element_at(node, 1, Sizes(at, behind)));
    Sizes from(index.begin(), at);
    from.push_back(chosen < 0 ? chosen + data[axis] : chosen);
    from.insert(from.end(), behind, index.end());
    return element_at(node, 0, from);
  });
}

/// Of a learned table, too, only the rows that are chosen are read.
void emit_gather(Emitter& emitter, const Node& node) {
  const Value& table = *node.input(0);
  if (table.learned != product_or_throw(*table.sizes)) return emit_selection(emitter, node);
  Sizes sizes = *table.sizes;
  sizes.insert(sizes.begin(), 1);
  emit_move(emitter, node, sizes);
  emitter.uses_weights(table);
}

void infer_gather_nd(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const Sizes* indices = sizes_at(node, 1);
  if (in == nullptr || indices == nullptr || indices->empty()) return;
  const std::int64_t batch_axes = int_attribute(node, "batch_dims", 0);
  const std::int64_t indexed = indices->back();
  const auto rank = static_cast<std::int64_t>(in->size());
  if (batch_axes < 0 || indexed < 1 || indexed > rank || batch_axes > rank - indexed)
    throw NodeError{"expected indices of at most " + std::to_string(rank) + " axes, got " +
                    list_text(*indices)};
  Sizes out(indices->begin(), indices->end() - 1);
  out.insert(out.end(), in->begin() + batch_axes + indexed, in->end());
  set_result(node, 0, out, type_at(node, 0));
}

void infer_gather_elements(Node& node) {
  if (const Sizes* indices = sizes_at(node, 1)) set_result(node, 0, *indices, type_at(node, 0));
}

/// Where a condition holds, of an axis, or of all elements one after the other.
void infer_compress(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr || node.input(1) == nullptr) return;
  const bool has_axis = find_attribute(node, "axis") != nullptr;
  Sizes out = has_axis ? *in : Sizes{product_or_throw(*in)};
  std::int64_t& size =
      out[has_axis ? axis_or_throw(int_attribute(node, "axis", 0), in->size()) : 0];
  if (const auto& holds = node.input(1)->numbers)
    size = std::count_if(holds->begin(), holds->end(), [](double x) { return x != 0; });
  else
    node.is_largest = true;
  set_result(node, 0, out, type_at(node, 0));
}

/// The different ones, where each first stands, which one each is, and how many of each there are.
void infer_unique(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr) return;
  const bool has_axis = find_attribute(node, "axis") != nullptr;
  const std::int64_t all = product_or_throw(*in);
  const std::int64_t count =
      has_axis ? (*in)[axis_or_throw(int_attribute(node, "axis", 0), in->size())] : all;
  node.is_largest = true;
  set_result(node, 0, has_axis ? *in : Sizes{all}, type_at(node, 0));
  for (std::size_t i = 1; i < node.outputs.size(); ++i)
    set_result(node, i, {count}, element::int64);
}

/// How many elements are not zero is known of constants; else at most all of them.
void infer_non_zero(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr) return;
  std::int64_t count = product_or_throw(*in);
  if (const auto& numbers = node.input(0)->numbers)
    count = std::count_if(numbers->begin(), numbers->end(), [](double x) { return x != 0; });
  else
    node.is_largest = true;
  set_result(node, 0, {static_cast<std::int64_t>(in->size()), count}, element::int64);
}

/// [boxes, 4] candidates and [batch, classes, boxes] scores: the most that each class may keep.
void infer_non_max_suppression(Node& node) {
  const Sizes* scores = sizes_at(node, 1);
  if (scores == nullptr || scores->size() != 3) return;
  std::int64_t kept = (*scores)[2];
  if (const auto most = integers(node.input(2)); most && !most->empty())
    kept = std::min(kept, std::max<std::int64_t>(0, most->front()));
  node.is_largest = true;
  set_result(node, 0, {product_or_throw({(*scores)[0], (*scores)[1], kept}), 3}, element::int64);
}

void infer_top_k(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr) return;
  Sizes out = *in;
  std::int64_t& size = out[axis_or_throw(int_attribute(node, "axis", -1), in->size())];
  const auto k = integers(node.input(1));
  if (k && !k->empty())
    size = std::clamp<std::int64_t>(k->front(), 0, size);
  else if (find_attribute(node, "k") != nullptr)
    size = std::clamp<std::int64_t>(int_attribute(node, "k", size), 0, size);
  else
    node.is_largest = true;
  set_result(node, 0, out, type_at(node, 0));
  set_result(node, 1, out, element::int64);
}

void infer_one_hot(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const auto depth = integers(node.input(1));
  if (in == nullptr || !depth || depth->size() != 1) return;
  Sizes out = *in;
  const std::size_t axis = axis_or_throw(int_attribute(node, "axis", -1), in->size() + 1);
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis), depth->front());
  set_result(node, 0, out, type_at(node, 2));
}

constexpr Operator scatter{.sizes = infer_like_first, .layer = emit_bytes};

constexpr Operator selection_rows[] = {
    {.name = "Compress", .sizes = infer_compress, .layer = emit_selection},
    {.name = "Gather",
     .sizes = infer_gather,
     .fold = fold_gather,
     .needs = 2,
     .layer = emit_gather},
    {.name = "GatherElements", .sizes = infer_gather_elements, .layer = emit_selection},
    {.name = "GatherND", .sizes = infer_gather_nd, .layer = emit_selection},
    {.name = "NonMaxSuppression", .sizes = infer_non_max_suppression},
    {.name = "NonZero", .sizes = infer_non_zero},
    {.name = "OneHot", .sizes = infer_one_hot},
    {.name = "Slice", .sizes = infer_slice, .fold = fold_slice, .layer = emit_selection},
    {.name = "TopK", .sizes = infer_top_k},
    {.name = "Unique", .sizes = infer_unique},
    row("Scatter", scatter),
    row("ScatterElements", scatter),
    row("ScatterND", scatter),
};

}  // namespace

std::span<const Operator> selection_operators() { return selection_rows; }

}  // namespace roofline::onnx_graph
