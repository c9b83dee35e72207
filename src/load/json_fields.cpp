#include "load/json_fields.hpp"

#include <algorithm>

#include "load/json_layer.hpp"
#include "model/spelling.hpp"

namespace roofline {
namespace {

DataType read_output_type(const Value& value) {
  const std::string name = value.text();
  if (const auto type = parse<DataType>(name); type && is_tensor_type(*type)) return *type;
  value.fail(expected_data_type(name));
}

Algorithm read_algorithm(const Value& value) {
  const std::string name = value.text();
  if (const auto algorithm = parse<Algorithm>(name); algorithm && may_be_stated(*algorithm))
    return *algorithm;
  value.fail(expected_algorithm(name));
}

/// {"layer": "conv1", "shape": [...]}: a view; {"parameter": [...]}, or {"shape": [...],
/// "parameter": true} with every axis: learned.
OperandSpec read_operand_object(const Value& value) {
  ObjectReader object(value, "an operand", {"layer", "shape", "parameter", "parameters"});
  OperandSpec operand;
  if (const auto parameter = object.take("parameter")) {
    operand.whole = parameter->node().is_boolean();
    operand.is_parameter = !operand.whole || parameter->boolean();
    operand.sizes = read_sizes(operand.whole ? object.require("shape", "the shape of the parameter")
                                             : *parameter);
    if (const auto count = object.take("parameters")) operand.parameters = count->integer(0);
    object.finish();
    return operand;
  }
  if (const auto layer = object.take("layer")) operand.layer = layer->text();
  operand.sizes = read_sizes(object.require("shape", "the shape of the operand, batch first"));
  operand.whole = true;
  object.finish();
  return operand;
}

}  // namespace

std::vector<std::uint64_t> read_sizes(const Value& list) {
  if (!list.is_array() || list.size() == 0)
    list.fail_expected("a list of sizes such as [3, 224, 224]");
  std::vector<std::uint64_t> sizes;
  sizes.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) sizes.push_back(list.at(i).integer(1));
  return sizes;
}

std::size_t read_choice(const Value& value, std::span<const std::string_view> names) {
  const std::string text = value.text();
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i)
    all += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + std::string(names[i]);
  value.fail("expected " + all + ", got \"" + text + "\"");
}

void read_axes(const Value& value, const AxesField& field, AxesSpec& axes) {
  if (field.takes_rule && value.is_string()) {
    const std::string word = value.text();
    if (word != "same" && word != "valid") value.fail_expected("numbers, \"same\" or \"valid\"");
    axes.rule = word == "same" ? PaddingRule::same : PaddingRule::valid;
    return;
  }
  axes.is_list = value.is_array();
  if (!axes.is_list) {
    axes.numbers = {value.integer(field.least)};
    return;
  }
  if (value.size() == 0) value.fail_expected("a number or a list of numbers");
  axes.numbers.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i)
    axes.numbers.push_back(value.at(i).integer(field.least));
}

OperandSpec read_operand(const Value& value) {
  OperandSpec operand;
  if (value.is_string())
    operand.layer = value.text();
  else if (value.node().is_object())
    operand = read_operand_object(value);
  else
    operand.sizes = read_sizes(value);
  return operand;
}

std::vector<OperandSpec> read_operands(const Value& list) {
  if (!list.is_array() || list.size() == 0)
    list.fail_expected("a list of shapes or names of earlier layers");
  std::vector<OperandSpec> operands;
  operands.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) operands.push_back(read_operand(list.at(i)));
  return operands;
}

DataType read_data_type(const Value& value) {
  const DataType type = read_output_type(value);
  if (!is_operand_type(type)) value.fail(expected_data_type(name_of(type)));
  return type;
}

DataTypesSpec read_data_types(const Value& value) {
  ObjectReader each(value, "dtypes", {"input", "weight", "output"});
  DataTypesSpec types;
  if (const auto type = each.take("input")) types.input = read_data_type(*type);
  if (const auto type = each.take("weight")) types.weight = read_data_type(*type);
  if (const auto type = each.take("output")) types.output = read_output_type(*type);
  each.finish();
  return types;
}

KernelMapping read_mapping(const Value& value) {
  if (!value.node().is_object() && !value.is_string())
    value.fail_expected(
        "a kernel mapping such as {\"tile\": [128, 64, 8]} (the window's size is "
        "\"kernel_size\")");
  KernelMapping mapping;
  std::vector<std::string_view> known{"algorithm", "tile"};
  for (const MappingNumber& number : mapping_numbers) known.push_back(number.key);
  ObjectReader object(value, "kernel", std::move(known));
  if (const auto algorithm = object.take("algorithm"))
    mapping.algorithm = read_algorithm(*algorithm);
  if (const auto tile = object.take("tile")) {
    if (!tile->is_array() || tile->size() != 3) tile->fail_expected("[m, n, k]");
    mapping.tile = {tile->at(0).integer(1), tile->at(1).integer(1), tile->at(2).integer(1)};
  }
  for (const MappingNumber& number : mapping_numbers)
    if (const auto value_of = object.take(number.key))
      mapping.*number.member = value_of->integer(number.least);
  object.finish();
  return mapping;
}

}  // namespace roofline
