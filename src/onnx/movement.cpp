// Tensors seen under another shape, permuted, cut, joined, padded, repeated and resized.

#include <algorithm>
#include <cmath>

#include "onnx/families.hpp"
#include "onnx/operands.hpp"
#include "onnx/operators.hpp"
#include "onnx/products.hpp"

namespace roofline::onnx_graph {
namespace {

constexpr std::size_t most_axes = 5;

// Views.

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

/// The result, and which elements were kept.
void infer_dropout(Node& node) {
  infer_like_first(node);
  if (const Sizes* in = sizes_at(node, 0)) set_result(node, 1, *in, element::boolean);
}

// Permutations.

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

std::optional<Numbers> fold_transpose(const Node& node) {
  const std::size_t rank = sizes_of(node, 0).size();
  const auto stated = ints_attribute(node, "perm");
  return of_each_index(node, [&](const Sizes& index) {
    Sizes from(rank, 0);
    for (std::size_t i = 0; i < rank; ++i)
      from[stated ? axis_or_throw((*stated)[i], rank) : rank - 1 - i] = index[i];
    return element_at(node, 0, from);
  });
}

/// Whether a permutation leaves the elements in their order: only axes of one element move.
bool keeps_order(const Sizes& sizes, const Sizes& permutation) {
  std::optional<std::size_t> last;
  for (const std::int64_t each : permutation) {
    const auto axis = normal_axis(each, sizes.size());
    if (!axis) return false;
    if (sizes[*axis] == 1) continue;
    if (last && *axis < *last) return false;
    last = axis;
  }
  return true;
}

bool swaps_last_two(const Sizes& permutation) {
  const auto rank = static_cast<std::int64_t>(permutation.size());
  if (rank < 2) return false;
  for (std::int64_t i = 0; i + 2 < rank; ++i)
    if (permutation[static_cast<std::size_t>(i)] != i) return false;
  return permutation[permutation.size() - 2] == rank - 1 && permutation.back() == rank - 2;
}

bool only_products_read(const Value& value) {
  return !value.is_output && !value.consumers.empty() &&
         std::all_of(value.consumers.begin(), value.consumers.end(),
                     [](const Node* reader) { return matrix_operands(*reader).has_value(); });
}

void emit_transpose(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  const Sizes& in = *operand.sizes;
  Sizes permutation(in.size());
  for (std::size_t i = 0; i < in.size(); ++i)
    permutation[i] = static_cast<std::int64_t>(in.size() - 1 - i);
  if (const auto stated = ints_attribute(node, "perm")) permutation = *stated;
  // A product reads either matrix by rows or by columns.
  if (keeps_order(in, permutation) ||
      (swaps_last_two(permutation) && only_products_read(*node.outputs[0]))) {
    emitter.view(node);
    if (node.outputs[0]->source) node.outputs[0]->source->is_direct = false;
    return;
  }
  emit_move(emitter, node, in);
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

// Parts and wholes.

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

std::optional<Numbers> fold_concat(const Node& node) {
  const std::size_t axis = axis_or_throw(int_attribute(node, "axis", 0), sizes_of(node, 0).size());
  return of_each_index(node, [&](Sizes index) {
    std::size_t operand = 0;
    while (operand + 1 < node.inputs.size() && index[axis] >= sizes_of(node, operand).at(axis))
      index[axis] -= sizes_of(node, operand++)[axis];
    return element_at(node, operand, index);
  });
}

void emit_concat(Emitter& emitter, const Node& node) {
  const Sizes& result = *node.outputs[0]->sizes;
  const auto axis = normal_axis(int_attribute(node, "axis", 0), result.size());
  if (!axis) throw NodeError{"axis: expected an axis of " + list_text(result)};
  std::vector<const Value*> operands;
  for (const Value* input : node.inputs)
    if (has_elements(input)) operands.push_back(input);
  if (operands.size() == 1) return emitter.view(node.outputs[0], operands.front());
  LayerSpec& spec = emitter.add(node, LayerKind::concat);
  spec.dtypes.input = emitter.type_of(*operands.front());
  const bool is_plain = *axis == 1 && result.size() <= most_axes;
  for (const Value* each : operands) {
    const auto at = each->sizes->begin() + static_cast<std::ptrdiff_t>(*axis);
    const Sizes joined{product_or_throw(Sizes(each->sizes->begin(), at)), *at,
                       product_or_throw(Sizes(at + 1, each->sizes->end()))};
    spec.inputs.push_back(Emitter::operand(*each, is_plain ? *each->sizes : joined));
    if (each->learned == 0) spec.dtypes.input = emitter.type_of(*each);
  }
  emitter.writes(node.outputs[0], Layout::first, is_plain);
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
    const std::int64_t part = stated ? (*stated)[i] : std::min(each, left);
    if (part < 0 || part > left)
      throw NodeError{"expected parts of an axis of " + std::to_string((*in)[axis]) + ", got " +
                      (stated ? list_text(*stated) : std::to_string(parts) + " of them")};
    left -= part;
    Sizes out = *in;
    out[axis] = part;
    set_result(node, i, out, type_at(node, 0));
  }
}

void emit_split(Emitter& emitter, const Node& node) {
  std::int64_t used = 0;
  bool is_whole = true;
  for (const Value* result : node.outputs) {
    const bool is_used = has_elements(result) && (result->is_output || !result->consumers.empty());
    is_whole = is_whole && is_used;
    if (is_used) used += product_or_throw(*result->sizes);
  }
  if (used == 0) return;
  const Value& operand = *node.input(0);
  const Sizes& sizes = *operand.sizes;
  if (node.outputs.size() == 1) return emitter.view(node);
  LayerSpec& spec = emitter.add(node, LayerKind::copy);
  spec.input = Emitter::operand(operand, is_whole ? sizes : Sizes{used});
  spec.output = spec.input->sizes;
  for (Value* result : node.outputs) emitter.writes(result, Layout::first, false);
}

// Repeated and padded.

void infer_expand(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const auto shape = integers(node.input(1));
  if (in != nullptr && shape) set_result(node, 0, broadcast({in, &*shape}), type_at(node, 0));
}

std::optional<Numbers> fold_expand(const Node& node) {
  return of_each_index(node, [&](const Sizes& index) { return element_at(node, 0, index); });
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

std::optional<Numbers> fold_tile(const Node& node) {
  const Sizes& in = sizes_of(node, 0);
  return of_each_index(node, [&](Sizes index) {
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      index[axis] %= std::max<std::int64_t>(1, in.at(axis));
    return element_at(node, 0, index);
  });
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

/// To the sizes that are stated of some axes, from the middle.
void infer_centre(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const auto shape = integers(node.input(1));
  if (in == nullptr || !shape) return;
  const auto axes = ints_attribute(node, "axes");
  Sizes out = *in;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if (axes && i >= axes->size()) return;
    out[axis_or_throw(axes ? (*axes)[i] : static_cast<std::int64_t>(i), in->size())] = (*shape)[i];
  }
  set_result(node, 0, out, type_at(node, 0));
}

// Resized.

/// Scales are an attribute up to set 8, and one of height and one of width up to set 6.
std::optional<Numbers> scale_numbers(const Node& node, std::size_t input) {
  if (const auto* attribute = find_attribute(node, "scales"); attribute != nullptr)
    return attribute->floats;
  if (find_attribute(node, "height_scale") != nullptr)
    return Numbers{1, 1, float_attribute(node, "height_scale", 1),
                   float_attribute(node, "width_scale", 1)};
  const Value* scales = node.input(input);
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

template <std::size_t ScalesInput>
void infer_resize(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  if (in == nullptr) return;
  std::vector<std::size_t> axes;
  if (const auto stated = ints_attribute(node, "axes"))
    for (const std::int64_t axis : *stated) axes.push_back(axis_or_throw(axis, in->size()));
  else
    for (std::size_t i = 0; i < in->size(); ++i) axes.push_back(i);
  const auto sizes = integers(node.input(3));
  const auto scales = scale_numbers(node, ScalesInput);
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

/// [N, C, ...] sampled at a grid [N, ..., axes].
void infer_grid_sample(Node& node) {
  const Sizes* in = sizes_at(node, 0);
  const Sizes* grid = sizes_at(node, 1);
  if (in == nullptr || grid == nullptr || in->size() < 3 || grid->size() != in->size()) return;
  Sizes out{(*in)[0], (*in)[1]};
  out.insert(out.end(), grid->begin() + 1, grid->end() - 1);
  set_result(node, 0, out, type_at(node, 0));
}

/// The grid for [N, C, ...].
void infer_affine_grid(Node& node) {
  const auto size = integers(node.input(1));
  if (!size || size->size() < 3) return;
  Sizes out{size->front()};
  out.insert(out.end(), size->begin() + 2, size->end());
  out.push_back(static_cast<std::int64_t>(size->size() - 2));
  set_result(node, 0, out, type_at(node, 0));
}

void emit_resize(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  const Sizes& in = *operand.sizes;
  const Sizes& out = *node.outputs[0]->sizes;
  const bool is_spatial =
      in.size() >= 3 && in.size() <= most_axes && in[0] == out[0] && in[1] == out[1];
  if (in == out || !is_spatial) return emit_copy(emitter, node);
  LayerSpec& spec = emitter.add(node, LayerKind::upsample);
  spec.input = Emitter::operand(operand);
  spec.output = at_most_five(out);
  emitter.writes(node.outputs[0]);
}

}  // namespace

void emit_view(Emitter& emitter, const Node& node) { emitter.view(node); }

/// Reads so many elements and writes the result.
void emit_move(Emitter& emitter, const Node& node, const Sizes& read) {
  const Value& operand = *node.input(0);
  const Sizes& written = *node.outputs[0]->sizes;
  LayerSpec& spec = emitter.add(node, LayerKind::copy);
  spec.input = Emitter::operand(operand, read);
  spec.output = at_most_five(written);
  for (Value* result : node.outputs)
    emitter.writes(result, Layout::first, written.size() <= most_axes);
}

void emit_copy(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  const bool is_view = operand.sizes == node.outputs[0]->sizes && node.op != "ReverseSequence";
  if (is_view) return emitter.view(node);
  emit_move(emitter, node, *operand.sizes);
}

void emit_bytes(Emitter& emitter, const Node& node) {
  LayerSpec& spec = emitter.add(node, LayerKind::other);
  for (const Value* input : node.inputs)
    if (has_elements(input)) spec.inputs.push_back(Emitter::operand(*input));
  if (spec.inputs.empty()) spec.inputs.push_back({{1}, true, "", false});
  std::int64_t written = 0;
  std::size_t results = 0;
  for (const Value* result : node.outputs) {
    if (!has_elements(result)) continue;
    if (__builtin_add_overflow(written, product_or_throw(*result->sizes), &written))
      throw NodeError{"expected sizes below 2^63, got an overflow"};
    ++results;
    spec.output = at_most_five(*result->sizes);
  }
  if (results > 1) spec.output = {static_cast<std::uint64_t>(written)};
  for (Value* result : node.outputs)
    emitter.writes(result, Layout::first,
                   results == 1 && result != nullptr && result->sizes->size() <= most_axes);
}

void emit_without_rule(Emitter& emitter, const Node& node) {
  emitter.count_without_rule(node);
  emit_bytes(emitter, node);
}

namespace {

constexpr Operator view{.fold = fold_same, .layer = emit_view, .keeps_weights = true};
constexpr Operator copy{.layer = emit_copy};

constexpr Operator movement_rows[] = {
    row("Flatten", view, infer_flatten),
    row("Reshape", view, infer_reshape),
    row("Squeeze", view, infer_squeeze),
    row("Unsqueeze", view, infer_unsqueeze),
    {.name = "Dropout", .sizes = infer_dropout, .layer = emit_view},
    // Exporters keep equal tensors once and copy them so: these are others.
    {.name = "Identity",
     .write_out = alias_sequence,
     .sizes = infer_like_first,
     .fold = fold_same,
     .layer = emit_view},
    {.name = "Transpose",
     .sizes = infer_transpose,
     .fold = fold_transpose,
     .layer = emit_transpose,
     .keeps_weights = true},
    row("DepthToSpace", copy, infer_blocks),
    row("SpaceToDepth", copy, infer_blocks),
    row("ReverseSequence", copy, infer_like_first),
    {.name = "Concat", .sizes = infer_concat, .fold = fold_concat, .layer = emit_concat},
    {.name = "Split", .sizes = infer_split, .layer = emit_split},
    {.name = "Expand", .sizes = infer_expand, .fold = fold_expand, .layer = emit_copy},
    {.name = "Tile", .sizes = infer_tile, .fold = fold_tile, .layer = emit_copy},
    row("Pad", copy, infer_pad),
    row("Col2Im", copy, infer_col2im),
    {.name = "CenterCropPad", .sizes = infer_centre},
    {.name = "AffineGrid", .sizes = infer_affine_grid},
    {.name = "GridSample", .sizes = infer_grid_sample},
    {.name = "Resize", .first_set = 10, .sizes = infer_resize<1>, .layer = emit_resize},
    {.name = "Resize", .first_set = 11, .sizes = infer_resize<2>, .layer = emit_resize},
    {.name = "Upsample", .sizes = infer_resize<1>, .layer = emit_resize},
};

}  // namespace

std::span<const Operator> movement_operators() { return movement_rows; }

}  // namespace roofline::onnx_graph
