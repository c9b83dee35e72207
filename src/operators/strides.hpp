#pragma once

// How tensors lie in memory, as far as sources state strides.

#include <algorithm>
#include <optional>
#include <vector>

#include "operators/operation.hpp"

namespace roofline {

Sizes contiguous_strides(const Sizes& sizes);
/// Without gaps, in the order of the axes in memory.
Sizes dense_strides(const Tensor& tensor);
/// Ignores axes of one element.
bool has_strides(const Tensor& tensor, const Sizes& strides);

/// Some of the tensors are in channels last, others in NCHW.
template <class Tensors>
bool joins_layouts(const Tensors& tensors) {
  const auto lies = [&](Layout layout) {
    return std::ranges::any_of(tensors,
                               [&](const Tensor& tensor) { return tensor.layout() == layout; });
  };
  return lies(Layout::nchw) && lies(Layout::nhwc);
}

/// Access of an elementwise kernel in the order of the first tensor, the result or the operand
/// whose order it takes. nullopt if all lie alike without gaps, and for unknown strides or other
/// sizes.
std::optional<Access> access_of(const std::vector<const Tensor*>& tensors);

}  // namespace roofline
