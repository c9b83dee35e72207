#pragma once

// Values of a layer's keys.

#include <span>
#include <string>
#include <string_view>

#include "load/json_value.hpp"
#include "model/layer_fields.hpp"

namespace roofline {

/// A list of sizes, each at least 1.
std::vector<std::uint64_t> read_sizes(const Value& list);
/// A number, a list of numbers, or a rule where the field takes one.
void read_axes(const Value& value, const AxesField& field, AxesSpec& axes);
/// The place of a text among the names that it may be.
std::size_t read_choice(const Value& value, std::span<const std::string_view> names);
/// A shape, the name of an earlier layer, {"layer": ..., "shape": [...]} or {"parameter": [...]}.
OperandSpec read_operand(const Value& value);
std::vector<OperandSpec> read_operands(const Value& list);
DataTypesSpec read_data_types(const Value& value);
KernelMapping read_mapping(const Value& value);

}  // namespace roofline
