#pragma once

// The table of operators: a span of rows for each family, in the family's file.

#include <span>
#include <string_view>

#include "operators/operation.hpp"

namespace roofline {

std::span<const OperatorRow> row_operators();
std::span<const OperatorRow> window_operators();
std::span<const OperatorRow> pointwise_operators();
std::span<const OperatorRow> matrix_operators();
std::span<const OperatorRow> moving_operators();
std::span<const OperatorRow> traffic_operators();

/// All families, in order.
std::span<const std::span<const OperatorRow>> operator_families();

/// The row of our own name, which the table has.
const OperatorRow* find_row(std::string_view name);
/// Null for an unknown name.
const OperatorRow* find_row_of_onnx(std::string_view name);
const OperatorRow* find_row_of_tensorrt(std::string_view type);

}  // namespace roofline
