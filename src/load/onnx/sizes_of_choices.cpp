// Sizes where some elements are chosen. How many they are may depend on data: then the most that
// there can be.

#include <algorithm>

#include "load/onnx/sizes.hpp"

namespace roofline::onnx_graph {
namespace {

using Tensor = ::onnx::TensorProto;

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
void infer_slice(Node& node, bool& is_largest) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr) return;
  const auto starts = ints_attribute_or_input(node, "starts", 1);
  const auto ends = ints_attribute_or_input(node, "ends", 2);
  const auto axes = ints_attribute_or_input(node, "axes", 3);
  const auto steps = integers(node.input(4));
  Sizes out = *in;
  if (!starts || !ends || (node.input(3) != nullptr && !axes)) {
    is_largest = true;
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

/// How many elements are not zero is known of constants; else at most all of them.
void infer_non_zero(Node& node, bool& is_largest) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr) return;
  std::int64_t count = product_or_throw(*in);
  if (const auto& numbers = node.input(0)->numbers)
    count = std::count_if(numbers->begin(), numbers->end(), [](double x) { return x != 0; });
  else
    is_largest = true;
  set_result(node, 0, {static_cast<std::int64_t>(in->size()), count}, Tensor::INT64);
}

/// [boxes, 4] candidates and [batch, classes, boxes] scores: the most that each class may keep.
void infer_non_max_suppression(Node& node, bool& is_largest) {
  const Sizes* scores = sizes_at(node, 1);
  if (scores == nullptr || scores->size() != 3) return;
  std::int64_t kept = (*scores)[2];
  if (const auto most = integers(node.input(2)); most && !most->empty())
    kept = std::min(kept, std::max<std::int64_t>(0, most->front()));
  is_largest = true;
  set_result(node, 0, {product_or_throw({(*scores)[0], (*scores)[1], kept}), 3}, Tensor::INT64);
}

void infer_top_k(Node& node, bool& is_largest) {
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
    is_largest = true;
  set_result(node, 0, out, type_at(node, 0));
  set_result(node, 1, out, Tensor::INT64);
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

}  // namespace

bool infer_chosen_sizes(Node& node, bool& is_largest) {
  struct Row {
    std::string_view op;
    void (*infer)(Node&, bool&);
  };
  constexpr Row rows[] = {
      {"Gather", [](Node& each, bool&) { infer_gather(each); }},
      {"GatherND", [](Node& each, bool&) { infer_gather_nd(each); }},
      {"NonMaxSuppression", infer_non_max_suppression},
      {"NonZero", infer_non_zero},
      {"Slice", infer_slice},
      {"TopK", infer_top_k},
  };
  for (const Row& row : rows)
    if (row.op == node.op) return row.infer(node, is_largest), true;
  return false;
}

}  // namespace roofline::onnx_graph
