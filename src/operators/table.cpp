#include "operators/table.hpp"

#include <array>
#include <span>
#include <string_view>
#include <unordered_map>

#include "model/text.hpp"

namespace roofline {
namespace {

using Rows = std::unordered_map<std::string_view, const OperatorRow*>;

/// By the names in a column, which are between blanks.
Rows rows_by(std::string_view OperatorRow::*column) {
  Rows rows;
  for (const std::span<const OperatorRow> family : operator_families())
    for (const OperatorRow& row : family)
      for (std::string_view names = row.*column; !names.empty();)
        rows.emplace(take(names, ' '), &row);
  return rows;
}

const OperatorRow* find_in(const Rows& rows, std::string_view name) {
  const auto found = rows.find(name);
  return found != rows.end() ? found->second : nullptr;
}

}  // namespace

std::span<const std::span<const OperatorRow>> operator_families() {
  static const std::array families{row_operators(),    window_operators(), pointwise_operators(),
                                   matrix_operators(), moving_operators(), traffic_operators()};
  return families;
}

const OperatorRow* find_row(std::string_view name) {
  static const Rows rows = rows_by(&OperatorRow::name);
  return find_in(rows, name);
}

const OperatorRow* find_row_of_onnx(std::string_view name) {
  static const Rows rows = rows_by(&OperatorRow::onnx);
  return find_in(rows, name);
}

const OperatorRow* find_row_of_tensorrt(std::string_view type) {
  static const Rows rows = rows_by(&OperatorRow::tensorrt);
  return find_in(rows, type);
}

}  // namespace roofline
