// Operators that are counted by the bytes of their tensors.

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/ranges.hpp"
#include "operators/building.hpp"
#include "operators/operands.hpp"
#include "operators/operation.hpp"
#include "operators/table.hpp"

namespace roofline {
namespace {

/// What the source states, or else the operands broadcast.
std::vector<WrittenTensor> written_by(const Operation& operation, DataType type) {
  if (!operation.results.empty())
    return each_of(operation.results, [&](const Tensor& result) {
      return WrittenTensor{result.sizes,
                           operation.row->writes.value_or(result.type.value_or(type))};
    });
  const auto place = [](const Tensor& tensor) { return &tensor.sizes; };
  const auto sizes = broadcast(each_of(operation.operands, place));
  return {{sizes.value_or(first_sizes(operation)), operation.row->writes.value_or(type)}};
}

Layers with_results(Operation operation, std::vector<Tensor> results) {
  operation.results = std::move(results);
  return traffic(operation);
}

/// Writes a mask of a byte an element too.
Layers dropout(const Operation& operation) {
  if (operation.operands.empty()) return {};
  const Tensor& input = operation.operands.front();
  return with_results(operation, {{.sizes = input.sizes, .type = input.type},
                                  {.sizes = input.sizes, .type = DataType::boolean}});
}

/// The sum goes to the second operand, its norm to the first.
Layers norm_of_sum(const Operation& operation) {
  return with_results(operation, {{.sizes = {2 * element_count(first_sizes(operation))}}});
}

/// Behind both products of a cell: their gates, and the state. Writes the state, an LSTM's cell,
/// and what a backward pass reads: six times the state together.
Layers gates_of_cell(const Operation& operation) {
  constexpr std::size_t state = 2;
  if (operation.operands.size() <= state) return {};
  return with_results(operation, {{.sizes = {6 * element_count(operation.operands[state].sizes)}}});
}

}  // namespace

Layers traffic(const Operation& operation) {
  const std::vector<Tensor>& operands = operation.operands;
  std::optional<DataType> type = operation.attributes.computed_in;
  if (!type && !operands.empty()) type = operands.front().type;
  if (!type && !operation.results.empty()) type = operation.results.front().type;
  if (!type) return {};
  LayerSpec spec;
  spec.kind = LayerKind::other;
  spec.pass = Pass::fwd;
  spec.dtypes.input = type;
  const auto typed = [](const Tensor& tensor) {
    OperandSpec operand = operand_of(tensor, tensor.stored_sizes());
    operand.type = tensor.type;
    return operand;
  };
  if (!set_traffic(spec, each_of(operands, typed), written_by(operation, *type))) return {};
  return named(operation, std::move(spec));
}

std::span<const OperatorRow> traffic_operators() {
  using enum LayerKind;
  static constexpr OperatorRow rows[] = {
      {"traffic", traffic, other, "", "", "Concatenation Normalization Scatter Select TopK kgen"},
      // Constants and random numbers: nothing is read.
      {"fill", traffic, other, "", "fill zero bernoulli uniform normal random exponential: result"},
      {"dropout", dropout, other, "", "native_dropout: input"},
      {"norm_of_sum", norm_of_sum, other, "",
       "::fused_add_rms_norm ::fused_add_rmsnorm: input residual weight"},
      {"gates_of_cell", gates_of_cell, other, "",
       "_thnn_fused_lstm_cell _thnn_fused_gru_cell: tensors"},
  };
  return rows;
}

}  // namespace roofline
