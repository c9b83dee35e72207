// Sizes where elements are moved, chosen, repeated or resized.

#include <algorithm>
#include <cmath>

#include "load/onnx/sizes.hpp"

namespace roofline::onnx_graph {
namespace {

using Tensor = ::onnx::TensorProto;

const Sizes* sizes_at(const Node& node, std::size_t input) {
  const Value* value = node.input(input);
  return value != nullptr && value->sizes ? &*value->sizes : nullptr;
}

int type_at(const Node& node, std::size_t input) {
  return node.input(input) != nullptr ? node.input(input)->type : 0;
}

std::size_t axis_or_throw(std::int64_t axis, std::size_t rank) {
  const auto normal = normal_axis(axis, rank);
  if (!normal)
    throw NodeError{"axis: expected one of " + std::to_string(rank) + " axes, got " +
                    std::to_string(axis)};
  return *normal;
}

void infer_reshape(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const auto stated = ints_attribute_or_input(node, "shape", 1);
  if (in == nullptr || !stated) return;
  const bool zero_is_size = int_attribute(node, "allowzero", 0) != 0;
  Sizes out = *stated;
  std::optional<std::size_t> open;
  std::int64_t known = 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == 0 && !zero_is_size && i < in->size()) out[i] = (*in)[i];
    if (out[i] == -1 && !open) {
      open = i;
      continue;
    }
    if (out[i] < 0) throw NodeError{"expected a shape, got " + list_text(*stated)};
    known = product_or_throw({known, out[i]});
  }
  const std::int64_t all = product_or_throw(*in);
  if (open) out[*open] = known == 0 ? 0 : all / known;
  if (product_or_throw(out) != all)
    throw NodeError{"expected a shape for the " + std::to_string(all) + " elements of " +
                    list_text(*in) + ", got " + list_text(*stated)};
  set_result(node, 0, out, type_at(node, 0));
}

void infer_expand(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const auto shape = integers(node.input(1));
  if (in != nullptr && shape) set_result(node, 0, broadcast({in, &*shape}), type_at(node, 0));
}

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

void infer_split(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr) return;
  const std::size_t axis = axis_or_throw(int_attribute(node, "axis", 0), in->size());
  const auto parts = static_cast<std::int64_t>(node.outputs.size());
  const auto stated = ints_attribute_or_input(node, "split", 1);
  if (stated && stated->size() != node.outputs.size())
    throw NodeError{"split: expected " + std::to_string(parts) + " sizes, got " +
                    list_text(*stated)};
  const std::int64_t each = (*in)[axis] / parts + ((*in)[axis] % parts != 0 ? 1 : 0);
  std::int64_t left = (*in)[axis];
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    Sizes out = *in;
    out[axis] = stated ? (*stated)[i] : std::min(each, left);
    left -= out[axis];
    if (out[axis] < 0 || left < 0)
      throw NodeError{"expected parts of an axis of " + std::to_string((*in)[axis]) + ", got " +
                      (stated ? list_text(*stated) : std::to_string(parts) + " of them")};
    set_result(node, i, out, type_at(node, 0));
  }
}

void infer_pad(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const auto pads = ints_attribute_or_input(node, "pads", 1);
  if (in == nullptr || !pads) return;
  auto axes = integers(node.input(3));
  if (!axes) {
    axes.emplace();
    for (std::size_t i = 0; i < in->size(); ++i) axes->push_back(static_cast<std::int64_t>(i));
  }
  if (pads->size() != 2 * axes->size())
    throw NodeError{"pads: expected " + std::to_string(2 * axes->size()) + " numbers, got " +
                    list_text(*pads)};
  Sizes out = *in;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    std::int64_t& size = out[axis_or_throw((*axes)[i], in->size())];
    if (__builtin_add_overflow(size, (*pads)[i], &size) ||
        __builtin_add_overflow(size, (*pads)[axes->size() + i], &size) || size < 0)
      throw NodeError{"pads: expected a padded size of at least 0, got " + list_text(*pads) +
                      " on " + list_text(*in)};
  }
  set_result(node, 0, out, type_at(node, 0));
}

/// Upsample and set 10 have the scales as input 1 (an attribute before), later sets as input 2.
const Value* scales_of(const Node& node) {
  const bool after_roi = node.op == "Resize" && node.version >= 11;
  return node.input(after_roi ? 2 : 1);
}

std::optional<Numbers> scale_numbers(const Node& node) {
  if (const auto* attribute = find_attribute(node, "scales"); attribute != nullptr)
    return Numbers(attribute->floats().begin(), attribute->floats().end());
  const Value* scales = scales_of(node);
  if (scales == nullptr || !scales->numbers || scales->numbers->empty()) return std::nullopt;
  return scales->numbers;
}

/// One scale for all axes, where the proportions are to be kept.
double common_scale(const Sizes& in, const std::vector<std::size_t>& axes, const Sizes& wanted,
                    bool larger) {
  double common = larger ? 0 : INFINITY;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const double scale = static_cast<double>(wanted[i]) /
                         static_cast<double>(std::max<std::int64_t>(1, in[axes[i]]));
    common = larger ? std::max(common, scale) : std::min(common, scale);
  }
  return common;
}

void infer_resize(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr) return;
  std::vector<std::size_t> axes;
  if (const auto stated = ints_attribute(node, "axes"))
    for (const std::int64_t axis : *stated) axes.push_back(axis_or_throw(axis, in->size()));
  else
    for (std::size_t i = 0; i < in->size(); ++i) axes.push_back(i);
  const auto sizes = integers(node.input(3));
  const auto scales = scale_numbers(node);
  const std::size_t count = sizes && !sizes->empty() ? sizes->size() : scales ? scales->size() : 0;
  if (count == 0) return;
  if (count != axes.size())
    throw NodeError{"expected a size or scale for each of " + std::to_string(axes.size()) +
                    " axes, got " + std::to_string(count)};
  Sizes out = *in;
  const std::string policy = text_attribute(node, "keep_aspect_ratio_policy", "stretch");
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t& size = out[axes[i]];
    if (sizes && !sizes->empty()) {
      const double scale = common_scale(*in, axes, *sizes, policy == "not_smaller");
      size = policy == "stretch" ? (*sizes)[i]
                                 : whole_number(std::round(static_cast<double>(size) * scale));
    } else {
      // Single precision, as the operator is defined and every runtime has it.
      size = whole_number(static_cast<double>(
          std::floor(static_cast<float>(size) * static_cast<float>((*scales)[i]))));
    }
    if (size < 0) throw NodeError{"expected sizes of at least 0, got " + std::to_string(size)};
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

void infer_transpose(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr) return;
  const auto stated = ints_attribute(node, "perm");
  if (stated && stated->size() != in->size())
    throw NodeError{"perm: expected " + std::to_string(in->size()) + " axes, got " +
                    list_text(*stated)};
  Sizes out(in->rbegin(), in->rend());
  if (stated)
    for (std::size_t i = 0; i < in->size(); ++i)
      out[i] = (*in)[axis_or_throw((*stated)[i], in->size())];
  set_result(node, 0, out, type_at(node, 0));
}

void infer_concat(Node& node) {
  const Sizes* first = sizes_at(node, 0);
  if (first == nullptr) return;
  Sizes out = *first;
  const std::size_t axis = axis_or_throw(int_attribute(node, "axis", 0), first->size());
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const Sizes* next = sizes_at(node, i);
    if (next == nullptr) return;
    if (next->size() != first->size())
      throw NodeError{"expected operands of one rank, got " + list_text(*first) + " and " +
                      list_text(*next)};
    for (std::size_t each = 0; each < out.size(); ++each)
      if (each != axis && out[each] != (*next)[each])
        throw NodeError{"expected operands that differ along axis " + std::to_string(axis) +
                        " only, got " + list_text(*first) + " and " + list_text(*next)};
    if (__builtin_add_overflow(out[axis], (*next)[axis], &out[axis]))
      throw NodeError{"expected sizes below 2^63, got an overflow"};
  }
  set_result(node, 0, out, type_at(node, 0));
}

void infer_flatten(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr) return;
  const std::int64_t stated = int_attribute(node, "axis", 1);
  const auto rank = static_cast<std::int64_t>(in->size());
  const std::size_t axis = stated == rank ? in->size() : axis_or_throw(stated, in->size());
  const auto split = in->begin() + static_cast<std::ptrdiff_t>(axis);
  set_result(
      node, 0,
      {product_or_throw(Sizes(in->begin(), split)), product_or_throw(Sizes(split, in->end()))},
      type_at(node, 0));
}

void infer_squeeze(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const auto axes = ints_attribute_or_input(node, "axes", 1);
  if (in == nullptr || (node.input(1) != nullptr && !axes)) return;
  std::vector<bool> removed;
  for (const std::int64_t size : *in) removed.push_back(!axes && size == 1);
  if (axes)
    for (const std::int64_t axis : *axes) removed[axis_or_throw(axis, in->size())] = true;
  Sizes out;
  for (std::size_t i = 0; i < in->size(); ++i)
    if (!removed[i]) out.push_back((*in)[i]);
  set_result(node, 0, out, type_at(node, 0));
}

void infer_unsqueeze(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const auto axes = ints_attribute_or_input(node, "axes", 1);
  if (in == nullptr || !axes) return;
  std::vector<bool> added(in->size() + axes->size(), false);
  for (const std::int64_t axis : *axes) added[axis_or_throw(axis, added.size())] = true;
  Sizes out(added.size(), 1);
  std::size_t next = 0;
  for (std::size_t i = 0; i < added.size() && next < in->size(); ++i)
    if (!added[i]) out[i] = (*in)[next++];
  set_result(node, 0, out, type_at(node, 0));
}

}  // namespace

bool infer_moved_sizes(Node& node, bool& is_largest) {
  if (node.op == "Reshape") return infer_reshape(node), true;
  if (node.op == "Expand") return infer_expand(node), true;
  if (node.op == "Slice") return infer_slice(node, is_largest), true;
  if (node.op == "Split") return infer_split(node), true;
  if (node.op == "Pad") return infer_pad(node), true;
  if (node.op == "Resize" || node.op == "Upsample") return infer_resize(node), true;
  if (node.op == "NonZero") return infer_non_zero(node, is_largest), true;
  if (node.op == "NonMaxSuppression") return infer_non_max_suppression(node, is_largest), true;
  if (node.op == "TopK") return infer_top_k(node, is_largest), true;
  if (node.op == "Gather") return infer_gather(node), true;
  if (node.op == "GatherND") return infer_gather_nd(node), true;
  if (node.op == "Transpose") return infer_transpose(node), true;
  if (node.op == "Concat") return infer_concat(node), true;
  if (node.op == "Flatten") return infer_flatten(node), true;
  if (node.op == "Squeeze") return infer_squeeze(node), true;
  if (node.op == "Unsqueeze") return infer_unsqueeze(node), true;
  return false;
}

}  // namespace roofline::onnx_graph
