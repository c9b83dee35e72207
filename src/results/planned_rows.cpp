#include "results/planned_rows.hpp"

#include <algorithm>
#include <tuple>

namespace roofline {
namespace {

bool is_same_operand(const Operand& a, const Operand& b) {
  return a.shape == b.shape && a.is_parameter == b.is_parameter && a.parameters == b.parameters &&
         a.type == b.type;
}

}  // namespace

bool is_same_layer(const Layer& a, const Layer& b) {
  const auto types_of = [](const Layer& layer) {
    return std::tuple(layer.dtypes.input, layer.dtypes.weight, layer.dtypes.output);
  };
  return a.kind == b.kind && a.pass == b.pass && a.states_pass == b.states_pass &&
         types_of(a) == types_of(b) && a.kernels == b.kernels && a.folded_norm == b.folded_norm &&
         a.is_inserted == b.is_inserted &&
         std::ranges::equal(a.inputs, b.inputs, is_same_operand) &&
         a.fused_input_count == b.fused_input_count && a.output == b.output &&
         a.window == b.window && a.groups == b.groups && a.norm_elements == b.norm_elements &&
         a.fused_into == b.fused_into && a.generated == b.generated && a.mapping == b.mapping &&
         static_cast<const LayerTraits&>(a) == b;
}

PlannedRows::PlannedRows(std::size_t rows) : is_single_(rows == 1) {
  if (!is_single_) first_.reserve(rows);
}

const LayerResult* PlannedRows::find_equal(const LayerResult& row) {
  if (is_single_) return nullptr;
  const std::uint64_t work =
      (row.counts.flops * 31 + row.counts.bytes.total) * 3 + index_of(row.layer.pass);
  const auto [known, is_new] = first_.try_emplace(work, First{&row, row.planned_engine});
  const First& first = known->second;
  const bool is_equal =
      !is_new && first.engine == row.planned_engine && is_same_layer(first.row->layer, row.layer);
  return is_equal ? first.row : nullptr;
}

}  // namespace roofline
