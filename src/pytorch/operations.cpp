// Calls of operators of the common table (operators/table.hpp): "input" and "weight" are the
// operands, other arguments the attributes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
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
Operation instance_norm(const OperatorCall& call, const Caller& instance) {
  const TensorArgument* input = argument_at(*instance.arguments, 0).tensor();
  const TensorArgument* weight = call["weight"].tensor();
  Operation operation{.row = find_row("instance_norm"), .called = "instance_norm"};
  if (input != nullptr) operation.operands.push_back(*input);
  if (input != nullptr && weight != nullptr) operation.operands.push_back(*weight);
  return operation;
}

Operation stated_operation(const OperatorCall& call, const TensorArgument& input,
                           const TensorArgument* weight, const Attributes& attributes) {
  Operation operation{.row = call.row,
                      .operands = {input},
                      .attributes = attributes,
                      .pass = call.pass(),
                      .called = base_name(call.name)};
  if (weight != nullptr) operation.operands.push_back(*weight);
  if (call["to_float"].flag().value_or(false))
    operation.results = {{.sizes = input.sizes, .type = DataType::fp32}};
  return operation;
}

}  // namespace

Operations attributed_operations(const OperatorCall& call) {
  if (call["axes"].tensor() != nullptr)  // of two tensors
    return operation_on(call, *find_row("traffic"), tensors_in(*call.arguments));
  const Caller* instance = call.caller("aten::instance_norm");
  const bool is_instance = instance != nullptr && call.row->kind == LayerKind::batch_norm &&
                           takes_argument(call, "training");
  const TensorArgument* input = call["input"].tensor();
  const TensorArgument* weight = call["weight"].tensor();
  const auto attributes = input != nullptr ? attributes_of(call, *input, weight) : std::nullopt;
  if (!is_instance && !attributes) return {};
  Operation operation = is_instance ? instance_norm(call, *instance)
                                    : stated_operation(call, *input, weight, *attributes);
  // Instance and group norms copy into NCHW by operators of their own.
  const LayerKind kind = operation.row->kind;
  if (!operation.operands.empty() &&
      (kind == LayerKind::instance_norm || kind == LayerKind::group_norm))
    operation.operands.front().stated_layout = Layout::nchw;
  return {std::move(operation)};
}

}  // namespace roofline
