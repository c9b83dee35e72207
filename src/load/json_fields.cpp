#include "load/json_fields.hpp"

#include "load/json_layer.hpp"
#include "model/spelling.hpp"

namespace roofline {
namespace {

DataType read_output_type(const Value& value) {
  const std::string name = value.text();
  if (const auto type = parse<DataType>(name)) return *type;
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
  ObjectReader object(value, value.origin(), "an operand",
                      {"layer", "shape", "parameter", "parameters"});
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
  for (std::size_t i = 0; i < list.size(); ++i) sizes.push_back(list.at(i).integer(1));
  return sizes;
}

AxesSpec read_axes_numbers(const Value& value, std::uint64_t least) {
  AxesSpec axes;
  axes.is_list = value.is_array();
  if (!axes.is_list) {
    axes.numbers.push_back(value.integer(least));
    return axes;
  }
  if (value.size() == 0) value.fail_expected("a number or a list of numbers");
  for (std::size_t i = 0; i < value.size(); ++i) axes.numbers.push_back(value.at(i).integer(least));
  return axes;
}

void read_padding(const Value& value, LayerSpec& spec) {
  if (!value.is_string()) {
    const AxesSpec read = read_axes_numbers(value, 0);
    spec.padding.numbers = read.numbers;
    spec.padding.is_list = read.is_list;
    return;
  }
  const std::string word = value.text();
  if (word != "same" && word != "valid") value.fail_expected("numbers, \"same\" or \"valid\"");
  spec.padding_rule = word == "same" ? PaddingRule::same : PaddingRule::valid;
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
  for (std::size_t i = 0; i < list.size(); ++i) operands.push_back(read_operand(list.at(i)));
  return operands;
}

DataType read_data_type(const Value& value) {
  const DataType type = read_output_type(value);
  if (!is_operand_type(type)) value.fail(expected_data_type(name_of(type)));
  return type;
}

DataTypesSpec read_data_types(const Value& value) {
  ObjectReader each(value, value.origin(), "dtypes", {"input", "weight", "output"});
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
  ObjectReader object(
      value, value.origin(), "kernel",
      {"algorithm", "tile", "split_k", "threads", "stages", "registers", "shared_memory_byte"});
  if (const auto algorithm = object.take("algorithm"))
    mapping.algorithm = read_algorithm(*algorithm);
  if (const auto tile = object.take("tile")) {
    if (!tile->is_array() || tile->size() != 3) tile->fail_expected("[m, n, k]");
    mapping.tile = {tile->at(0).integer(1), tile->at(1).integer(1), tile->at(2).integer(1)};
  }
  if (const auto split_k = object.take("split_k")) mapping.split_k = split_k->integer(1);
  if (const auto threads = object.take("threads")) mapping.threads = threads->integer(1);
  if (const auto stages = object.take("stages")) mapping.stages = stages->integer(1);
  if (const auto registers = object.take("registers")) mapping.registers = registers->integer(1);
  if (const auto bytes = object.take("shared_memory_byte"))
    mapping.shared_memory_byte = bytes->integer(0);
  object.finish();
  return mapping;
}

Pass read_pass(const Value& value) {
  const std::string text = value.text();
  if (const auto pass = parse<Pass>(text)) return *pass;
  value.fail("expected fwd, dgrad or wgrad, got \"" + text + "\"");
}

}  // namespace roofline
