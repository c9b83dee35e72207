#include "layers/operands.hpp"

#include <utility>

#include "model/layer_fields.hpp"

namespace roofline {
namespace {

bool may_join(const std::vector<Sizes>& operands, std::size_t axis, const Sizes& result) {
  return std::ranges::all_of(operands, [&](const Sizes& sizes) {
    const bool has_both = sizes[axis] == result[axis] && sizes[axis + 1] == result[axis + 1];
    return has_both || (sizes[axis] == 1 && sizes[axis + 1] == 1);
  });
}

}  // namespace

std::optional<std::vector<Sizes>> in_one_rank(std::vector<Sizes> operands) {
  std::size_t rank = fewest_operand_sizes;
  for (const Sizes& sizes : operands) rank = std::max(rank, sizes.size());
  Sizes result(rank, 1);
  for (Sizes& sizes : operands) {
    sizes.insert(sizes.begin(), rank - sizes.size(), 1);
    for (std::size_t axis = 0; axis < rank; ++axis)
      result[axis] = std::max(result[axis], sizes[axis]);
  }
  for (std::size_t axis = 0; result.size() > most_operand_sizes;) {
    if (axis + 1 == result.size()) return std::nullopt;
    if (!may_join(operands, axis, result)) {
      ++axis;
      continue;
    }
    const auto join = [&](Sizes& sizes) {
      sizes[axis] *= sizes[axis + 1];
      sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    };
    join(result);
    for (Sizes& sizes : operands) join(sizes);
  }
  return operands;
}

void drop_usual_types(LayerSpec& spec) {
  for (OperandSpec* operand : operands_of(spec)) {
    const bool is_weight = operand->is_parameter && spec.dtypes.weight;
    if (operand->type == (is_weight ? spec.dtypes.weight : spec.dtypes.input))
      operand->type.reset();
  }
}

bool set_traffic(LayerSpec& spec, std::vector<OperandSpec> operands,
                 const std::vector<WrittenTensor>& results) {
  std::erase_if(operands, [](const OperandSpec& operand) { return operand.sizes.empty(); });
  // A layer needs an input: one value.
  if (operands.empty()) operands.push_back(whole_operand({1}));
  spec.inputs = std::move(operands);
  std::vector<WrittenTensor> written = results;
  std::erase_if(written, [](const WrittenTensor& each) { return element_count(each.sizes) == 0; });
  if (written.empty()) return false;
  spec.dtypes.output = written.front().type;
  Sizes& sizes = written.front().sizes;
  if (written.size() > 1) {
    constexpr double most = 0x1p63;  // infer reports what is too large
    double elements = 0;
    for (const WrittenTensor& each : written)
      elements += static_cast<double>(element_count(each.sizes)) * element_byte(each.type) /
                  element_byte(written.front().type);
    sizes = {static_cast<std::uint64_t>(std::min(elements, most))};
  }
  spec.output = whole_operand(sizes).sizes;
  drop_usual_types(spec);
  return true;
}

}  // namespace roofline
