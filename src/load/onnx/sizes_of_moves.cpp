// Sizes where elements are moved, repeated or resized.

#include <algorithm>
#include <cmath>

#include "load/onnx/sizes.hpp"

namespace roofline::onnx_graph {
namespace {

using Tensor = ::onnx::TensorProto;

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

void infer_tile(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const auto repeats = integers(node.input(1));
  if (in == nullptr || !repeats) return;
  if (repeats->size() != in->size())
    throw NodeError{"repeats: expected " + std::to_string(in->size()) + " numbers, got " +
                    list_text(*repeats)};
  Sizes out;
  for (std::size_t i = 0; i < in->size(); ++i)
    out.push_back(product_or_throw({(*in)[i], (*repeats)[i]}));
  set_result(node, 0, out, type_at(node, 0));
}

/// Filled with one number; zero of type float where none is stated.
void infer_constant_of_shape(Node& node) {
  const auto shape = integers(node.input(0));
  const auto* value = find_attribute(node, "value");
  const int type = value != nullptr ? value->t().data_type() : static_cast<int>(Tensor::FLOAT);
  if (shape) set_result(node, 0, *shape, type);
}

void infer_range(Node& node) {
  for (const Value* input : node.inputs)
    if (input == nullptr || !input->numbers || input->numbers->size() != 1) return;
  if (node.inputs.size() != 3) return;
  const double span = node.inputs[1]->numbers->front() - node.inputs[0]->numbers->front();
  const double step = node.inputs[2]->numbers->front();
  if (step == 0) throw NodeError{"delta: expected a number that is not 0, got 0"};
  set_result(node, 0, {std::max<std::int64_t>(0, whole_number(std::ceil(span / step)))},
             type_at(node, 0));
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

std::int64_t block_size(const Node& node) {
  const std::int64_t size = int_attribute(node, "blocksize", 0);
  constexpr std::int64_t largest = 1LL << 20;
  if (size < 1 || size > largest)
    throw NodeError{"blocksize: expected an integer from 1 to " + std::to_string(largest) +
                    ", got " + std::to_string(size)};
  return size;
}

/// Blocks of positions that become channels, or the other way round.
void infer_blocks(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr) return;
  const std::int64_t size = block_size(node);
  const bool to_space = node.op == "DepthToSpace";
  const bool fits = in->size() == 4 && (to_space ? (*in)[1] % (size * size) == 0
                                                 : (*in)[2] % size == 0 && (*in)[3] % size == 0);
  if (!fits)
    throw NodeError{"expected an operand [N, C, H, W] of whole blocks of " + std::to_string(size) +
                    ", got " + list_text(*in)};
  const Sizes out =
      to_space ? Sizes{(*in)[0], (*in)[1] / (size * size), product_or_throw({(*in)[2], size}),
                       product_or_throw({(*in)[3], size})}
               : Sizes{(*in)[0], product_or_throw({(*in)[1], size * size}), (*in)[2] / size,
                       (*in)[3] / size};
  set_result(node, 0, out, type_at(node, 0));
}

/// [N, C * block, blocks] to [N, C, image].
void infer_col2im(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const auto image = integers(node.input(1));
  const auto block = integers(node.input(2));
  if (in == nullptr || !image || !block) return;
  const std::int64_t elements = product_or_throw(*block);
  if (in->size() != 3 || elements < 1 || (*in)[1] % elements != 0)
    throw NodeError{"expected an operand [N, C x " + std::to_string(elements) + ", blocks], got " +
                    list_text(*in)};
  Sizes out{(*in)[0], (*in)[1] / elements};
  out.insert(out.end(), image->begin(), image->end());
  set_result(node, 0, out, type_at(node, 0));
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

bool infer_moved_sizes(Node& node) {
  struct Row {
    std::string_view op;
    void (*infer)(Node&);
  };
  constexpr Row rows[] = {
      {"Col2Im", infer_col2im},
      {"Concat", infer_concat},
      {"ConstantOfShape", infer_constant_of_shape},
      {"DepthToSpace", infer_blocks},
      {"Expand", infer_expand},
      {"Flatten", infer_flatten},
      {"OneHot", infer_one_hot},
      {"Pad", infer_pad},
      {"Range", infer_range},
      {"Reshape", infer_reshape},
      {"Resize", infer_resize},
      {"SpaceToDepth", infer_blocks},
      {"Split", infer_split},
      {"Squeeze", infer_squeeze},
      {"Tile", infer_tile},
      {"Transpose", infer_transpose},
      {"Unsqueeze", infer_unsqueeze},
      {"Upsample", infer_resize},
  };
  for (const Row& row : rows)
    if (row.op == node.op) return row.infer(node), true;
  return false;
}

}  // namespace roofline::onnx_graph
