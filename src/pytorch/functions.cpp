// Elementwise functions: activations, arithmetic, comparisons; fills, and operators that are
// counted by their bytes.

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "operators/table.hpp"
#include "pytorch/operator_table.hpp"

namespace roofline {
namespace {

/// Recordings write a number as a tensor without axes, in the widest type of its kind.
const TensorArgument* tensor_or_value(const Argument& argument, const Argument& other) {
  if (!argument.is_tensor() || argument.tensor() != nullptr) return argument.tensor();
  const TensorArgument& value = argument.tensors.front();
  const bool is_number = value.type == DataType::fp64 || value.type == DataType::int64;
  const bool is_alike = other.is_tensor() && other.tensors.front().type == value.type;
  return is_number && !is_alike ? nullptr : &value;
}

/// The operands that the row names, or all tensors; empty if one is missing.
std::vector<const TensorArgument*> operands_of(const OperatorCall& call) {
  if (has_word(call.argument_names, "tensors")) return tensors_in(*call.arguments);
  std::vector<const TensorArgument*> operands;
  for (std::string_view names = call.argument_names; !names.empty();) {
    operands.push_back(call[take(names, ' ')].tensor());
    if (operands.back() == nullptr) return {};
  }
  return operands;
}

}  // namespace

Operations operation_on(const OperatorCall& call, const OperatorRow& row,
                        const std::vector<const TensorArgument*>& operands) {
  if (operands.empty()) return {};
  Operation operation{.row = &row, .called = base_name(call.name)};
  for (const TensorArgument* operand : operands) operation.operands.push_back(*operand);
  operation.attributes.computed_in = promoted_type(operands);
  if (!operation.attributes.computed_in) return {};
  return {std::move(operation)};
}

Operations operation_on_value(const OperatorCall& call, const OperatorRow& row) {
  const auto value = std::ranges::find_if(*call.arguments, &Argument::is_tensor);
  if (value == call.arguments->end()) return {};
  Tensor operand = value->tensors.front();
  operand.sizes.clear();
  operand.type = DataType::fp32;
  return {{.row = &row, .operands = {std::move(operand)}, .called = base_name(call.name)}};
}

Operations function_operations(const OperatorCall& call) {
  const TensorArgument* tensor = call["input"].tensor();
  if (tensor == nullptr) return {};
  Operations operations = operation_on(call, *call.row, {tensor});
  for (Operation& operation : operations) {
    operation.attributes.bounds = {call["least"].number(), call["most"].number()};
    operation.pass = call.pass();
  }
  return operations;
}

/// The result has the type that the operands are promoted to.
Operations plain_operations(const OperatorCall& call) {
  return operation_on(call, *call.row, operands_of(call));
}

/// A value without axes has the usual type.
Operations fill_operations(const OperatorCall& call) {
  if (!call["result"].is_tensor()) return {};
  const TensorArgument* tensor = call["result"].tensor();
  const Tensor value{.sizes = {1}, .type = DataType::fp32};
  Operation operation{.row = call.row,
                      .results = {tensor != nullptr ? *tensor : value},
                      .called = base_name(call.name)};
  if (!operation.results.front().type) return {};
  return {std::move(operation)};
}

Operations combination_operations(const OperatorCall& call) {
  const Argument& a = call["input"];
  const Argument& b = call["other"];
  const TensorArgument* first = tensor_or_value(a, b);
  const TensorArgument* second = tensor_or_value(b, a);
  const OperatorRow& alone = *find_row("function");
  if (a.tensor() == nullptr && b.tensor() == nullptr) return operation_on_value(call, alone);
  if (first == nullptr || second == nullptr)
    return operation_on(call, alone, {first != nullptr ? first : second});
  return operation_on(call, *call.row, {first, second});
}

}  // namespace roofline
