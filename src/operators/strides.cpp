#include "operators/strides.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

namespace roofline {
namespace {

/// The axis of neighbours in memory, with these strides; the rank if there is none.
std::size_t innermost(const Sizes& sizes, const Sizes& strides) {
  std::size_t axis = 0;
  while (axis < sizes.size() && (sizes[axis] <= 1 || strides[axis] != 1)) ++axis;
  return axis;
}

}  // namespace

Sizes contiguous_strides(const Sizes& sizes) {
  Sizes strides(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<std::uint64_t>(sizes[i], 1);
  return strides;
}

Sizes dense_strides(const Tensor& tensor) {
  std::vector<std::size_t> order(tensor.rank());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return tensor.strides[a] > tensor.strides[b]; });
  Sizes strides(tensor.rank(), 1);
  std::uint64_t next = 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    strides[*axis] = next;
    next *= tensor.sizes[*axis];
  }
  return strides;
}

bool has_strides(const Tensor& tensor, const Sizes& strides) {
  for (std::size_t i = 0; i < tensor.rank(); ++i)
    if (tensor.sizes[i] != 1 && tensor.strides[i] != strides[i]) return false;
  return true;
}

std::optional<Access> access_of(const std::vector<const Tensor*>& tensors) {
  const Tensor& first = *tensors.front();
  for (const Tensor* tensor : tensors)
    if (tensor->sizes != first.sizes || tensor->strides.size() != first.sizes.size())
      return std::nullopt;
  const Sizes dense = dense_strides(first);
  const std::size_t inner = innermost(first.sizes, dense);
  if (inner == first.rank()) return std::nullopt;
  for (const Tensor* tensor : tensors)
    if (tensor->strides[inner] != 1 && innermost(first.sizes, tensor->strides) < first.rank())
      return Access::transposed;
  const bool all_dense = std::ranges::all_of(
      tensors, [&](const Tensor* tensor) { return has_strides(*tensor, dense); });
  return all_dense ? std::nullopt : std::optional(Access::strided);
}

}  // namespace roofline
