#include "pytorch/parameter_lists.hpp"

#include <cmath>

namespace roofline {
namespace {

/// Elements of a tensor that one block works on (PyTorch's multi_tensor_apply).
constexpr std::uint64_t chunk_elements = 65536;

}  // namespace

void ParameterLists::add_parameter(const Sizes& sizes) {
  const std::uint64_t count = element_count(sizes);
  elements_ += static_cast<double>(count);
  chunks_ += std::ceil(static_cast<double>(count) / static_cast<double>(chunk_elements));
}

std::optional<std::uint64_t> ParameterLists::elements(std::uint64_t blocks) const {
  if (chunks_ == 0 || blocks == 0) return std::nullopt;
  return static_cast<std::uint64_t>(std::round(static_cast<double>(blocks) * elements_ / chunks_));
}

}  // namespace roofline
