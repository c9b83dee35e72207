// Kinds that work element by element, and norms.

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "load/onnx/patterns.hpp"
#include "load/onnx/rules.hpp"

namespace roofline::onnx_graph {
namespace {

/// Every other function of one operand is elementwise.
constexpr auto activations = [] {
  using enum LayerKind;
  return std::to_array<std::pair<std::string_view, LayerKind>>({
      {"Relu", relu},
      {"LeakyRelu", leaky_relu},
      {"PRelu", prelu},
      {"Elu", elu},
      {"Sigmoid", sigmoid},
      {"HardSigmoid", hardsigmoid},
      {"HardSwish", hardswish},
      {"Tanh", LayerKind::tanh},
      {"Gelu", gelu},
      {"FastGelu", gelu},
      {"QuickGelu", gelu},
      {"BiasGelu", gelu},
      {"Swish", silu},
      {"Softmax", softmax},
      {"LogSoftmax", softmax},
      {"LRN", local_response_norm},
  });
}();

constexpr std::pair<std::string_view, LayerKind> combinations[] = {
    {"Add", LayerKind::add}, {"Sum", LayerKind::add}, {"Mean", LayerKind::add},
    {"Sub", LayerKind::sub}, {"Mul", LayerKind::mul}, {"Div", LayerKind::div},
};

template <class Table>
LayerKind kind_of(const Table& table, const std::string& op) {
  for (const auto& [name, kind] : table)
    if (name == op) return kind;
  return LayerKind::elementwise;
}

void emit_one_operand(Emitter& emitter, const Node& node, LayerKind kind, const Value& operand) {
  LayerSpec& spec = emitter.add(node, kind);
  spec.dtypes.input = spec.dtypes.weight = emitter.type_of(operand);
  spec.input = Emitter::whole(operand);
  for (Value* result : node.outputs) emitter.writes(result, Emitter::layout_of(operand));
}

bool is_single(const Value& value) { return product_or_throw(*value.sizes) == 1; }

/// With leading axes of 1, as broadcasting has it.
Sizes aligned(const Sizes& sizes, std::size_t rank) {
  Sizes out = sizes;
  out.insert(out.begin(), rank - sizes.size(), 1);
  return out;
}

/// Joins neighbouring axes along which all operands are whole, or all of those that are not are 1,
/// until at most five are left. False where that cannot be.
bool join_axes(std::vector<Sizes>& operands, Sizes result) {
  for (std::size_t axis = result.size() - 1; axis > 0 && result.size() > 5; --axis) {
    const bool joins = std::all_of(operands.begin(), operands.end(), [&](const Sizes& each) {
      const bool whole = each[axis - 1] == result[axis - 1] && each[axis] == result[axis];
      return whole || (each[axis - 1] == 1 && each[axis] == 1);
    });
    if (!joins) continue;
    const auto join = [&](Sizes& sizes) {
      sizes[axis - 1] *= sizes[axis];
      sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(axis));
    };
    for (Sizes& each : operands) join(each);
    join(result);
  }
  return result.size() <= 5;
}

/// The layout that the operands share as their layers have them, if they do.
std::optional<Layout> common_layout(const std::vector<const Value*>& operands,
                                    const Sizes& result) {
  std::optional<Layout> common;
  for (const Value* each : operands) {
    if (is_single(*each)) continue;
    if (!each->source || !each->source->is_direct || each->sizes->size() != result.size())
      return std::nullopt;
    const Layout layout = each->source->layout;
    // The products of a matrix layout are one axis, along which nothing can be broadcast.
    if (layout == Layout::matrix && each->sizes != result) return std::nullopt;
    if (common && layout != *common) return std::nullopt;
    common = layout;
  }
  return common;
}

bool is_direct_last(const Value* value) {
  return value->source && value->source->is_direct && value->source->layout == Layout::last;
}

/// All operands in the axes of the result, or of the layer whose epilogue they may join.
bool set_operands(LayerSpec& spec, const std::vector<const Value*>& operands, const Sizes& result,
                  Layout layout) {
  std::vector<Sizes> sizes;
  sizes.reserve(operands.size());
  for (const Value* each : operands) sizes.push_back(aligned(*each->sizes, result.size()));
  if (result.size() > 5 && !join_axes(sizes, result)) return false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Value& each = *operands[i];
    const bool is_as_made = each.source && each.source->is_direct &&
                            each.source->layout == layout && each.sizes->size() == result.size() &&
                            result.size() <= 5;
    if (layout == Layout::last) sizes[i] = channels_second(sizes[i]);
    spec.inputs.push_back(is_as_made ? Emitter::whole(each) : Emitter::operand(each, sizes[i]));
  }
  return true;
}

/// The scale, and the shift beside it, of a norm.
void set_affine(Emitter& emitter, const Node& node, LayerSpec& spec) {
  const Value* scale = node.input(1);
  if (scale == nullptr) return;
  spec.dtypes.weight = emitter.type_of(*scale);
  emitter.uses_weights(*scale);
}

}  // namespace

void emit_activation(Emitter& emitter, const Node& node) {
  emit_one_operand(emitter, node, kind_of(activations, node.op), *node.input(0));
}

void emit_clip(Emitter& emitter, const Node& node) {
  const auto bound = [&](std::size_t input, const char* name) -> std::optional<double> {
    if (node.input(input) != nullptr) return constant_scalar(node.input(input));
    if (find_attribute(node, name) == nullptr) return std::nullopt;
    return float_attribute(node, name, 0);
  };
  const auto least = bound(1, "min");
  const auto most = bound(2, "max");
  LayerKind kind = LayerKind::elementwise;
  if (least == 0.0 && most == 6.0) kind = LayerKind::relu6;
  if (least == 0.0 && !most && node.input(2) == nullptr) kind = LayerKind::relu;
  emit_one_operand(emitter, node, kind, *node.input(0));
}

void emit_combination(Emitter& emitter, const Node& node) {
  std::vector<const Value*> operands;
  for (const Value* input : node.inputs)
    if (has_elements(input)) operands.push_back(input);
  const Sizes& result = *node.outputs[0]->sizes;
  const auto shared = common_layout(operands, result);
  const bool any_last =
      result.size() <= 5 && std::any_of(operands.begin(), operands.end(), is_direct_last);
  const Layout layout = shared.value_or(any_last ? Layout::last : Layout::first);
  LayerSpec& spec = emitter.add(node, kind_of(combinations, node.op));
  const auto tensor = std::find_if(operands.begin(), operands.end(), [](const Value* each) {
    return each->learned == 0 && !is_single(*each);
  });
  if (tensor != operands.end()) spec.dtypes.input = emitter.type_of(**tensor);
  const auto learned = std::find_if(operands.begin(), operands.end(),
                                    [](const Value* each) { return each->learned > 0; });
  spec.dtypes.weight = learned != operands.end() ? emitter.type_of(**learned) : *spec.dtypes.input;
  if (shared) {
    for (const Value* each : operands)
      spec.inputs.push_back(is_single(*each) ? Emitter::operand(*each, {1})
                                             : Emitter::whole(*each));
  } else if (!set_operands(spec, operands, result, layout)) {
    emitter.drop_last();
    return emit_bytes(emitter, node);
  }
  emitter.writes(node.outputs[0], layout, result.size() <= 5);
}

/// Of one tensor and single numbers, elementwise; of several tensors, known by their bytes.
void emit_function(Emitter& emitter, const Node& node) {
  const Value* tensor = nullptr;
  for (const Value* input : node.inputs) {
    if (!has_elements(input) || is_single(*input)) continue;
    if (tensor != nullptr) return emit_bytes(emitter, node);
    tensor = input;
  }
  if (tensor == nullptr) tensor = node.input(0);
  if (!has_elements(tensor) || tensor->sizes != node.outputs[0]->sizes)
    return emit_bytes(emitter, node);
  emit_one_operand(emitter, node, LayerKind::elementwise, *tensor);
}

void emit_batch_norm(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  if (operand.sizes->size() < 2 || operand.sizes->size() > 5)
    return emit_without_rule(emitter, node);
  LayerSpec& spec = emitter.add(
      node, node.op == "BatchNormalization" ? LayerKind::batch_norm : LayerKind::instance_norm);
  const bool is_first = Emitter::layout_of(operand) == Layout::first;
  spec.input = is_first ? Emitter::whole(operand) : Emitter::operand(operand);
  set_affine(emitter, node, spec);
  emitter.writes(node.outputs[0]);
}

/// Over the last axes, or over those that a pattern found, all of them as the features.
void emit_layer_norm(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  const Sizes& in = *operand.sizes;
  Sizes axes;
  if (const auto found = ints_attribute(node, "axes")) {
    axes = *found;
  } else {
    const auto first = normal_axis(int_attribute(node, "axis", -1), in.size());
    if (!first) throw NodeError{"axis: expected an axis of " + list_text(in)};
    for (std::size_t axis = *first; axis < in.size(); ++axis)
      axes.push_back(static_cast<std::int64_t>(axis));
  }
  std::int64_t features = 1;
  bool is_last = axes.size() == 1;
  for (const std::int64_t each : axes) {
    const auto axis = normal_axis(each, in.size());
    if (!axis) throw NodeError{"axes: expected axes of " + list_text(in)};
    is_last = is_last && *axis + 1 == in.size();
    features = product_or_throw({features, in[*axis]});
  }
  is_last = is_last && in.size() <= 5;
  LayerSpec& spec = emitter.add(node, LayerKind::layer_norm);
  spec.input =
      Emitter::operand(operand, is_last ? in : Sizes{product_or_throw(in) / features, features});
  spec.normalized_shape = {static_cast<std::uint64_t>(features)};
  set_affine(emitter, node, spec);
  emitter.writes(node.outputs[0], Layout::last, is_last);
}

void emit_group_norm(Emitter& emitter, const Node& node) {
  const Value& operand = *node.input(0);
  if (operand.sizes->size() < 2 || operand.sizes->size() > 5)
    return emit_without_rule(emitter, node);
  LayerSpec& spec = emitter.add(node, LayerKind::group_norm);
  const bool is_first = Emitter::layout_of(operand) == Layout::first;
  spec.input = is_first ? Emitter::whole(operand) : Emitter::operand(operand);
  spec.groups =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, int_attribute(node, "num_groups", 1)));
  set_affine(emitter, node, spec);
  emitter.writes(node.outputs[0]);
}

}  // namespace roofline::onnx_graph
