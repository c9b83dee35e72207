// Operators that are counted by the bytes of their tensors.

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

struct WrittenTensor {
  Sizes sizes;
  DataType type;
};

/// The results that the source states, or else the operands broadcast.
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

/// As one tensor, in the first's type; empty without elements.
Sizes as_one_tensor(const std::vector<WrittenTensor>& written) {
  if (written.size() < 2) return written.empty() ? Sizes{0} : written.front().sizes;
  constexpr double most = 0x1p63;  // infer reports what is too large
  double elements = 0;
  for (const WrittenTensor& each : written)
    elements += static_cast<double>(element_count(each.sizes)) * element_byte(each.type) /
                element_byte(written.front().type);
  return {static_cast<std::uint64_t>(std::min(elements, most))};
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
  spec.inputs.reserve(operands.size());
  for (const Tensor& tensor : operands) {
    if (element_count(tensor.sizes) == 0) continue;
    spec.inputs.push_back(operand_of(tensor, tensor.stored_sizes()));
    spec.inputs.back().type = tensor.type;
  }
  // A layer needs an input: one value.
  if (spec.inputs.empty()) spec.inputs.push_back(whole_operand({1}));
  std::vector<WrittenTensor> written = written_by(operation, *type);
  std::erase_if(written, [](const WrittenTensor& each) { return element_count(each.sizes) == 0; });
  spec.output = whole_operand(as_one_tensor(written)).sizes;
  if (spec.output.empty()) return {};
  spec.dtypes.output = written.front().type;
  drop_usual_types(spec);
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
