#pragma once

// Values of a layer's keys.

#include "load/json_value.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// A list of sizes, each at least 1.
std::vector<std::uint64_t> read_sizes(const Value& list);
/// A number, or a list of numbers, each at least `least`.
AxesSpec read_axes_numbers(const Value& value, std::uint64_t least);
/// A number, a list, "same" or "valid".
void read_padding(const Value& value, LayerSpec& spec);
/// A shape, the name of an earlier layer, {"layer": ..., "shape": [...]} or {"parameter": [...]}.
OperandSpec read_operand(const Value& value);
std::vector<OperandSpec> read_operands(const Value& list);
DataTypesSpec read_data_types(const Value& value);
KernelMapping read_mapping(const Value& value);
Pass read_pass(const Value& value);

}  // namespace roofline
