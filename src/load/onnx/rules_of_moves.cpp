// Tensors cut, joined, permuted, converted, resized and reduced.

#include <algorithm>

#include "load/onnx/patterns.hpp"
#include "load/onnx/products.hpp"
#include "load/onnx/rules.hpp"

namespace roofline::onnx_graph {
namespace {

constexpr std::size_t most_axes = 5;

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

/// Converts each element where it stands.
void emit_conversion(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  LayerSpec& spec = emitter.add(node, LayerKind::copy);
  spec.input = Emitter::whole(operand);
  emitter.writes(node.outputs[0], Emitter::layout_of(operand));
}

/// The mean over all positions of each channel.
void emit_global_average(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  LayerSpec& spec = emitter.add(node, LayerKind::global_avg_pool);
  const bool is_first = Emitter::layout_of(operand) == Layout::first;
  spec.input = is_first ? Emitter::whole(operand) : Emitter::operand(operand);
  emitter.writes(node.outputs[0], Layout::first,
                 node.outputs[0]->sizes->size() == operand.sizes->size());
}

bool averages_positions(const Node& node, const Sizes& in) {
  const auto axes = ints_attribute_or_input(node, "axes", 1);
  if (node.op != "ReduceMean" || in.size() < 3 || in.size() > most_axes || !axes ||
      axes->size() + 2 != in.size())
    return false;
  return std::all_of(axes->begin(), axes->end(), [&](std::int64_t each) {
    return normal_axis(each, in.size()).value_or(0) >= 2;
  });
}

}  // namespace

void emit_view(Emitter& emitter, const Node& node) { emitter.view(node); }

void emit_copy(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  const bool is_view = operand.sizes == node.outputs[0]->sizes && node.op != "ReverseSequence";
  if (is_view) return emitter.view(node);
  emit_move(emitter, node, *operand.sizes);
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

/// Of a learned table, too, only the rows that are chosen are read.
void emit_gather(Emitter& emitter, const Node& node) {
  const Value& table = *node.input(0);
  if (table.learned != product_or_throw(*table.sizes)) return emit_selection(emitter, node);
  Sizes sizes = *table.sizes;
  sizes.insert(sizes.begin(), 1);
  emit_move(emitter, node, sizes);
  emitter.uses_weights(table);
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

void emit_cast(Emitter& emitter, const Node& node) {
  if (emitter.type_of(*node.input(0)) == emitter.type_of(*node.outputs[0]))
    return emitter.view(node);
  emit_conversion(emitter, node);
}

/// The kernel before writes its result quantised, where nothing else reads it.
void emit_quantise(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  if (node.op == "QuantizeLinear" && emitter.is_own_result(operand) &&
      only_reader(&operand) == &node)
    return emitter.view(node.outputs[0], &operand);
  emit_conversion(emitter, node);
}

/// Whoever reads it reads the quantised tensor.
void emit_dequantise(Emitter& emitter, const Node& node) {
  if (!node.outputs[0]->is_output) return emitter.view(node);
  node.outputs[0]->stored_type = 0;
  emit_conversion(emitter, node);
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

void emit_reduction(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  const Value& result = *node.outputs[0];
  if (averages_positions(node, *operand.sizes)) return emit_global_average(emitter, node);
  const bool is_same = product_or_throw(*operand.sizes) == product_or_throw(*result.sizes);
  if (is_same && (node.op == "ReduceMean" || node.op == "ReduceSum" || node.op == "ReduceMax" ||
                  node.op == "ReduceMin"))
    return emitter.view(node);
  LayerSpec& spec = emitter.add(node, LayerKind::reduce);
  spec.input = Emitter::operand(operand);
  spec.output = at_most_five(*result.sizes);
  emitter.writes(node.outputs[0], Layout::first, result.sizes->size() <= most_axes);
}

void emit_global_pool(Emitter& emitter, const Node& node) {
  const std::size_t rank = node.input(0)->sizes->size();
  if (rank < 3 || rank > most_axes) return emit_reduction(emitter, node);
  emit_global_average(emitter, node);
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

}  // namespace roofline::onnx_graph
