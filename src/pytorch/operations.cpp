// Calls of operators of the common table (operators/table.hpp): "input" and "weight" are the
// operands, other arguments the attributes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "operators/table.hpp"
#include "pytorch/operator_table.hpp"

namespace roofline {
namespace {

bool takes_argument(const OperatorCall& call, std::string_view argument) {
  return has_word(call.argument_names, argument);
}

/// "[-1, -2]"; all axes without any.
std::vector<std::size_t> stated_axes(const Argument& stated, std::size_t rank) {
  const std::vector<std::int64_t> numbers = stated.signed_integers();
  std::vector<bool> is_named(rank, numbers.empty());
  for (const std::int64_t number : numbers)
    if (const auto at = axis_at(number, rank)) is_named[*at] = true;
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < rank; ++axis)
    if (is_named[axis]) axes.push_back(axis);
  return axes;
}

/// An overload without running statistics has the flag two arguments earlier.
bool is_training(const OperatorCall& call) {
  return call.row->kind == LayerKind::batch_norm &&
         call["training"].flag().value_or(argument_at(*call.arguments, 3).flag().value_or(false));
}

/// nullopt for arguments that are no attributes of the input.
std::optional<Attributes> attributes_of(const OperatorCall& call, const TensorArgument& input,
                                        const TensorArgument* weight) {
  Attributes attributes{.rows_are_matrix = true};
  if (takes_argument(call, "axes")) attributes.axes = stated_axes(call["axes"], input.rank());
  if (takes_argument(call, "axis")) {
    const auto axis = axis_at(call["axis"].integer(), input.rank());
    if (!axis) return std::nullopt;
    attributes.axes = {*axis};
  }
  if (takes_argument(call, "groups")) {
    const std::int64_t groups = call["groups"].integer().value_or(0);
    if (groups <= 0) return std::nullopt;
    attributes.groups = static_cast<std::uint64_t>(groups);
  }
  // The normalised sizes, or else the weight's.
  const Sizes stated = call["sizes"].integers();
  if (!stated.empty())
    attributes.features = element_count(stated);
  else if (weight != nullptr)
    attributes.features = element_count(weight->sizes);
  attributes.batch_statistics = is_training(call);
  return attributes;
}

/// An instance norm runs as a batch norm of one image with all images' channels.
Layers instance_norm(const OperatorCall& call, const Caller& instance) {
  const TensorArgument* input = argument_at(*instance.arguments, 0).tensor();
  const TensorArgument* weight = call["weight"].tensor();
  Operation operation{.row = find_row("instance_norm"), .called = "instance_norm"};
  if (input != nullptr) operation.operands.push_back(*input);
  if (input != nullptr && weight != nullptr) operation.operands.push_back(*weight);
  return operation.row->build(operation);
}

}  // namespace

Layers built_layers(const OperatorCall& call) {
  const Caller* instance = call.caller("aten::instance_norm");
  Layers layers;
  if (call["axes"].tensor() != nullptr) return broadcast_traffic(call);  // of two tensors
  if (instance != nullptr && call.row->kind == LayerKind::batch_norm &&
      takes_argument(call, "training")) {
    layers = instance_norm(call, *instance);
  } else {
    const TensorArgument* input = call["input"].tensor();
    const TensorArgument* weight = call["weight"].tensor();
    if (input == nullptr) return {};
    const auto attributes = attributes_of(call, *input, weight);
    if (!attributes) return {};
    Operation operation{.row = call.row,
                        .operands = {*input},
                        .attributes = *attributes,
                        .pass = call.pass(),
                        .called = base_name(call.name)};
    if (weight != nullptr) operation.operands.push_back(*weight);
    if (call["to_float"].flag().value_or(false))
      operation.results = {{.sizes = input->sizes, .type = DataType::fp32}};
    layers = call.row->build(operation);
  }
  // Instance and group norms copy into NCHW by operators of their own.
  for (LayerSpec& layer : layers)
    if (layer.kind == LayerKind::instance_norm || layer.kind == LayerKind::group_norm)
      layer.layout = Layout::nchw;
  return layers;
}

}  // namespace roofline
