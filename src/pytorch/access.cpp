#include "pytorch/access.hpp"

#include <algorithm>

namespace roofline {
namespace {

using Places = std::vector<std::size_t>;

/// The axes of more than one element, outermost in memory first.
Places axes_in_memory(const TensorArgument& tensor) {
  Places axes;
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i)
    if (tensor.sizes[i] > 1) axes.push_back(i);
  std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
    return tensor.strides[a] > tensor.strides[b];
  });
  return axes;
}

/// Whether its elements lie in that order, one beside the other.
bool is_dense(const TensorArgument& tensor, const Places& axes) {
  std::uint64_t next = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (tensor.strides[*axis] != next) return false;
    next *= tensor.sizes[*axis];
  }
  return true;
}

bool has_other_innermost(const TensorArgument& tensor, const Places& axes) {
  return tensor.strides[axes.back()] != 1 &&
         std::any_of(axes.begin(), axes.end(),
                     [&](std::size_t axis) { return tensor.strides[axis] == 1; });
}

}  // namespace

std::optional<Access> access_of(const std::vector<const TensorArgument*>& tensors) {
  const TensorArgument& first = *tensors.front();
  for (const TensorArgument* tensor : tensors)
    if (tensor->sizes != first.sizes || tensor->strides.size() != first.sizes.size())
      return std::nullopt;
  const Places axes = axes_in_memory(first);
  if (axes.empty()) return std::nullopt;
  const auto any = [&](auto holds) {
    return std::any_of(tensors.begin(), tensors.end(),
                       [&](const TensorArgument* tensor) { return holds(*tensor, axes); });
  };
  if (any(has_other_innermost)) return Access::transposed;
  if (any([](const TensorArgument& tensor, const Places& in) { return !is_dense(tensor, in); }))
    return Access::strided;
  return std::nullopt;
}

}  // namespace roofline
