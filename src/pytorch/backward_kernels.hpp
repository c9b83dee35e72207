#pragma once

// The two gradients of a convolution run as one operator: which kernels compute which.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace roofline {

/// How many of the kernels, in the order of their launch, belong to the gradient of the input; the
/// others compute that of the weight, for libraries run one after the other. None where the names
/// do not tell.
std::optional<std::size_t> data_gradient_kernels(const std::vector<std::string_view>& names);

}  // namespace roofline
