#include "operators/operation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace roofline {

Sizes Tensor::stored_sizes() const {
  Sizes stored = sizes;
  for (std::size_t i = 0; i < stored.size() && strides.size() == stored.size(); ++i)
    if (strides[i] == 0) stored[i] = std::min<std::uint64_t>(stored[i], 1);
  return stored;
}

std::optional<Layout> Tensor::layout() const {
  if (stated_layout) return stated_layout;
  if (sizes.size() < 3 || strides.size() != sizes.size() || sizes[1] < 2) return std::nullopt;
  const bool nhwc = strides[1] == 1;
  const bool nchw = strides.back() == 1;
  if (nhwc == nchw) return std::nullopt;
  return nhwc ? Layout::nhwc : Layout::nchw;
}

bool Tensor::is_transposed() const {
  const std::size_t last = sizes.size();
  return last >= 2 && strides.size() == last && strides[last - 1] != 1 && strides[last - 2] == 1;
}

OperandSpec operand_of(const Tensor& tensor, const Sizes& sizes) {
  OperandSpec operand = whole_operand(sizes);
  operand.producer = tensor.producer;
  operand.is_parameter = tensor.learned.has_value();
  if (tensor.learned && *tensor.learned != element_count(sizes))
    operand.parameters = tensor.learned;
  return operand;
}

Sizes result_sizes(const Operation& operation) {
  if (!operation.results.empty()) return operation.results.front().sizes;
  Sizes sizes = operation.operands.front().sizes;
  for (const std::size_t axis : operation.attributes.axes)
    if (axis < sizes.size()) sizes[axis] = 1;
  return sizes;
}

}  // namespace roofline
