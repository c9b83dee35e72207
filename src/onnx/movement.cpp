// Reshaped, permuted, cut, joined, padded, repeated and resized tensors.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "onnx/operators.hpp"
#include "operators/table.hpp"

namespace roofline::onnx_graph {
namespace {

std::optional<Sizes> reshape_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const auto stated = ints_attribute_or_input(node, "shape", 1);
  if (!stated) return std::nullopt;
  const bool zero_is_size = int_attribute(node, "allowzero", 0) != 0;
  Sizes out = *stated;
  std::optional<std::size_t> open;
  std::int64_t known = 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == 0 && !zero_is_size && i < in.size()) out[i] = in[i];
    if (out[i] == -1 && !open) {
      open = i;
      continue;
    }
    if (out[i] < 0) fail("expected a shape", *stated);
    known = product_or_throw({known, out[i]});
  }
  const std::int64_t all = product_or_throw(in);
  if (open) out[*open] = known == 0 ? 0 : all / known;
  if (product_or_throw(out) != all)
    fail(concat("expected a shape for the ", all, " elements of ", integers_text(in)), *stated);
  return out;
}

std::optional<Sizes> flatten_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const std::int64_t stated = int_attribute(node, "axis", 1);
  const bool is_end = stated == static_cast<std::int64_t>(in.size());
  const std::size_t axis = is_end ? in.size() : axis_or_throw(stated, in.size());
  return Sizes{product_or_throw(part(in, 0, axis)), product_or_throw(part(in, axis))};
}

std::optional<Sizes> squeeze_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const auto axes = ints_attribute_or_input(node, "axes", 1);
  if (node.input(1) != nullptr && !axes) return std::nullopt;
  std::vector<bool> removed;
  for (const std::int64_t size : in) removed.push_back(!axes && size == 1);
  for (const std::int64_t axis : axes.value_or(Sizes{}))
    removed[axis_or_throw(axis, in.size())] = true;
  Sizes out;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (!removed[i]) out.push_back(in[i]);
  return out;
}

std::optional<Sizes> unsqueeze_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const auto axes = ints_attribute_or_input(node, "axes", 1);
  if (!axes) return std::nullopt;
  std::vector<bool> added(in.size() + axes->size(), false);
  for (const std::int64_t axis : *axes) added[axis_or_throw(axis, added.size())] = true;
  Sizes out(added.size(), 1);
  std::size_t next = 0;
  for (std::size_t i = 0; i < added.size() && next < in.size(); ++i)
    if (!added[i]) out[i] = in[next++];
  return out;
}

std::optional<Sizes> dropout_sizes(Node& node) {
  set_result(node, 1, sizes_of(node, 0), element::boolean);
  return sizes_of(node, 0);
}

/// The operand's axis for each of the result's; reversed without "perm". Throws NodeError.
std::vector<std::size_t> permutation(const Node& node) {
  const std::size_t rank = sizes_of(node, 0).size();
  const auto stated = ints_attribute(node, "perm");
  if (stated && stated->size() != rank) fail(concat("perm: expected ", rank, " axes"), *stated);
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < rank; ++i)
    axes.push_back(stated ? axis_or_throw((*stated)[i], rank) : rank - 1 - i);
  return axes;
}

std::optional<Sizes> transpose_sizes(Node& node) {
  return each_of(permutation(node), [&](std::size_t axis) { return sizes_of(node, 0)[axis]; });
}

std::optional<Numbers> fold_transpose(const Node& node) {
  const auto axes = permutation(node);
  return of_each_index(node, [&](const Sizes& index) {
    Sizes from(axes.size(), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) from[axes[i]] = index[i];
    return element_at(node, 0, from);
  });
}

/// Whether only axes of size 1 move.
bool keeps_order(const Sizes& sizes, std::vector<std::size_t> axes) {
  std::erase_if(axes, [&](std::size_t axis) { return sizes[axis] == 1; });
  return std::ranges::is_sorted(axes);
}

bool swaps_last_two(std::vector<std::size_t> axes) {
  if (axes.size() < 2) return false;
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  std::vector<std::size_t> in_order(axes.size());
  std::iota(in_order.begin(), in_order.end(), 0U);
  return axes == in_order;
}

bool only_products_read(const Value& value) {
  return !value.is_output && !value.consumers.empty() &&
         std::ranges::all_of(value.consumers, [](const Node* reader) {
           return matrix_operands(*reader).has_value();
         });
}

std::optional<Operation> transposed(const Emitter& emitter, const Node& node) {
  const auto axes = permutation(node);
  // A product reads either matrix by rows or by columns.
  const bool is_view = keeps_order(sizes_of(node, 0), axes) ||
                       (swaps_last_two(axes) && only_products_read(*node.outputs[0]));
  return is_view ? view_of(node) : copy_of(emitter, node, sizes_of(node, 0));
}

/// [N, C, H, W]: blocks of positions become channels, or the reverse.
std::optional<Sizes> block_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const std::int64_t size = int_attribute(node, "blocksize", 0);
  if (size < 1 || in.size() != 4)
    fail("expected an operand [N, C, H, W] and a blocksize >= 1", chained(in, {size}));
  const std::int64_t block = product_or_throw({size, size});
  if (node.op == "SpaceToDepth")
    return Sizes{in[0], product_or_throw({in[1], block}), in[2] / size, in[3] / size};
  return Sizes{in[0], in[1] / block, product_or_throw({in[2], size}),
               product_or_throw({in[3], size})};
}

std::optional<Sizes> concat_sizes(Node& node) {
  const Sizes& first = sizes_of(node, 0);
  Sizes out = first;
  const std::size_t axis = axis_of(node, 0, first.size());
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const Sizes* next = sizes_at(node, i);
    if (next == nullptr) return std::nullopt;
    for (std::size_t each = 0; each < out.size(); ++each)
      if (next->size() != out.size() || (each != axis && out[each] != (*next)[each]))
        fail(concat("expected operands that differ along axis ", axis, " only"),
             integers_text(first) + " and " + integers_text(*next));
    if (__builtin_add_overflow(out[axis], (*next)[axis], &out[axis])) throw OverflowError();
  }
  return out;
}

std::optional<Numbers> fold_concat(const Node& node) {
  const std::size_t axis = axis_of(node, 0, sizes_of(node, 0).size());
  return of_each_index(node, [&](Sizes index) {
    std::size_t operand = 0;
    while (operand + 1 < node.inputs.size() && index[axis] >= sizes_of(node, operand).at(axis))
      index[axis] -= sizes_of(node, operand++)[axis];
    return element_at(node, operand, index);
  });
}

/// Other axes than the second are joined in [before, axis, behind], whose first axis tells a
/// parameter that repeats along the batch.
std::optional<Operation> concatenated(const Emitter& emitter, const Node& node) {
  const Sizes& result = *node.outputs[0]->sizes;
  const std::size_t axis = axis_of(node, 0, result.size());
  const bool is_plain = axis == 1 && result.size() <= most_operand_sizes;
  Operation operation = operation_of(emitter, node, {.axes = {1}});
  operation.operands.clear();
  auto& computed_in = operation.attributes.computed_in;
  for (const Value* input : node.inputs) {
    if (!has_elements(input)) continue;
    const Sizes& sizes = *input->sizes;
    const Sizes around{product_or_throw(part(sizes, 0, axis)), sizes[axis],
                       product_or_throw(part(sizes, axis + 1))};
    operation.operands.push_back(emitter.typed(*input, is_plain ? sizes : around));
    if (!computed_in || input->learned == 0) computed_in = emitter.type_of(*input);
  }
  return operation.operands.size() == 1 ? view_of(node) : operation;
}

std::optional<Sizes> split_sizes(Node& node) {
  Sizes out = sizes_of(node, 0);
  std::int64_t& size = out[axis_of(node, 0, out.size())];
  const std::int64_t whole = size;
  const auto parts = static_cast<std::int64_t>(node.outputs.size());
  const auto stated = ints_attribute_or_input(node, "split", 1);
  if (stated && stated->size() != node.outputs.size())
    fail(concat("split: expected ", parts, " sizes"), *stated);
  const std::int64_t each = whole / parts + (whole % parts != 0 ? 1 : 0);
  std::int64_t left = whole;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    size = stated ? (*stated)[i] : std::min(each, left);
    if (size < 0 || size > left)
      fail(concat("expected parts of an axis of ", whole),
           (stated ? integers_text(*stated) : concat(parts, " of them")));
    left -= size;
    set_result(node, i, out, type_at(node, 0));
  }
  return node.outputs[0]->sizes;
}

/// Moves the parts that are read.
std::optional<Operation> cut(const Emitter& emitter, const Node& node) {
  std::int64_t used = 0;
  bool is_whole = true;
  for (const Value* result : node.outputs) {
    const bool is_used = has_elements(result) && is_read(result);
    is_whole = is_whole && is_used;
    if (is_used) used += product_or_throw(*result->sizes);
  }
  if (used == 0 || node.outputs.size() == 1) return view_of(node);
  Operation operation = copy_of(emitter, node, is_whole ? sizes_of(node, 0) : Sizes{used});
  operation.results.front().sizes = operation.operands.front().sizes;
  return operation;
}

std::optional<Sizes> expand_sizes(Node& node) {
  const auto shape = integers(node.input(1));
  return shape ? std::optional(broadcast_or_throw({&sizes_of(node, 0), &*shape})) : std::nullopt;
}

std::optional<Numbers> fold_expand(const Node& node) {
  return of_each_index(node, [&](const Sizes& index) { return element_at(node, 0, index); });
}

std::optional<Sizes> tile_sizes(Node& node) {
  Sizes out = sizes_of(node, 0);
  const auto repeats = integers(node.input(1));
  if (!repeats) return std::nullopt;
  if (repeats->size() != out.size())
    fail(concat("repeats: expected ", out.size(), " numbers"), *repeats);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = product_or_throw({out[i], (*repeats)[i]});
  return out;
}

std::optional<Sizes> pad_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const auto pads = ints_attribute_or_input(node, "pads", 1);
  if (!pads) return std::nullopt;
  Sizes all(in.size());
  std::iota(all.begin(), all.end(), 0);
  const Sizes axes = integers(node.input(3)).value_or(all);
  if (pads->size() != 2 * axes.size())
    fail(concat("pads: expected ", 2 * axes.size(), " numbers"), *pads);
  Sizes out = in;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::int64_t& size = out[axis_or_throw(axes[i], in.size())];
    if (__builtin_add_overflow(size, (*pads)[i], &size) ||
        __builtin_add_overflow(size, (*pads)[axes.size() + i], &size) || size < 0)
      fail("pads: expected a padded size of at least 0",
           integers_text(*pads) + " on " + integers_text(in));
  }
  return out;
}

/// Upsample has its scales in an attribute up to set 8, then in the second operand; Resize in the
/// second of two up to set 10, then in the third.
std::optional<Numbers> scale_numbers(const Node& node) {
  if (const auto* attribute = find_attribute(node, "scales")) return attribute->floats;
  const Value* scales = node.input(node.inputs.size() == 2 ? 1 : 2);
  return scales != nullptr ? scales->numbers : std::nullopt;
}

/// Leaves out sizes with kept proportions, which no exporter writes.
std::optional<Sizes> resize_sizes(Node& node) {
  if (text_attribute(node, "keep_aspect_ratio_policy", "stretch") != "stretch") return std::nullopt;
  Sizes out = sizes_of(node, 0);
  Sizes all(out.size());
  std::iota(all.begin(), all.end(), 0);
  const Sizes axes = ints_attribute(node, "axes").value_or(all);
  const Sizes sizes = integers(node.input(3)).value_or(Sizes{});
  const Numbers scales = scale_numbers(node).value_or(Numbers{});
  const std::size_t count = sizes.empty() ? scales.size() : sizes.size();
  if (count == 0) return std::nullopt;
  if (count != axes.size())
    fail(concat("expected a size or scale for each of ", axes.size(), " axes"),
         std::to_string(count));
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t& size = out[axis_or_throw(axes[i], out.size())];
    // Single precision, as the operator is defined.
    size = !sizes.empty() ? sizes[i]
                          : whole_number(static_cast<double>(std::floor(
                                static_cast<float>(size) * static_cast<float>(scales[i]))));
    if (size < 0) fail("expected sizes of at least 0", size);
  }
  return out;
}

/// A view if nothing changes.
std::optional<Operation> copied(const Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  if (operand.sizes == node.outputs[0]->sizes) return view_of(node);
  return copy_of(emitter, node, *operand.sizes);
}

std::optional<Operation> resized(const Emitter& emitter, const Node& node) {
  auto operation = copied(emitter, node);
  if (operation->row != find_row("copy")) return operation;
  operation->row = find_row_of_onnx(node.op);
  const std::string mode = text_attribute(node, "mode", "nearest");
  if (mode == "linear") operation->attributes.interpolation = Interpolation::bilinear;
  if (mode == "cubic") operation->attributes.interpolation = Interpolation::bicubic;
  return operation;
}

/// [N, C, ...] sampled at a grid [N, ..., axes].
std::optional<Sizes> grid_sample_sizes(Node& node) {
  const Sizes& in = sizes_of(node, 0);
  const Sizes& grid = sizes_of(node, 1);
  if (in.size() < 3 || grid.size() != in.size()) return std::nullopt;
  return chained({in[0], in[1]}, part(grid, 1, grid.size() - 1));
}

constexpr Operator view{.fold = fold_same, .is_view = true, .keeps_weights = true};
constexpr Operator copy{.state = copied};

constexpr Operator movement_rows[] = {
    row("Flatten", view, flatten_sizes),
    row("Reshape", view, reshape_sizes),
    row("Squeeze", view, squeeze_sizes),
    row("Unsqueeze", view, unsqueeze_sizes),
    row("Dropout", {.is_view = true}, dropout_sizes),
    // A copy of a tensor that the exporter stored once.
    row("Identity", {.is_view = true}, like_first, fold_same),
    row("Transpose", {.keeps_weights = true}, transpose_sizes, fold_transpose, transposed),
    row("DepthToSpace SpaceToDepth", copy, block_sizes),
    row("ReverseSequence", {}, like_first, bytes_of),
    row("Concat", {}, concat_sizes, fold_concat, concatenated),
    row("Split", {}, split_sizes, cut),
    row("Expand", copy, expand_sizes, fold_expand),
    row("Tile", copy, tile_sizes),
    row("Pad", copy, pad_sizes),
    row("GridSample", {.needs = 2}, grid_sample_sizes),
    row("Resize Upsample", {}, resize_sizes, resized),
};

}  // namespace

std::span<const Operator> movement_operators() { return movement_rows; }

}  // namespace roofline::onnx_graph
