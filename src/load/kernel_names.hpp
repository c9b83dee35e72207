#pragma once

// What the names of kernels and copies tell.

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/data_type.hpp"
#include "roofline/recording.hpp"

namespace roofline {

bool mentions(std::string_view name, std::initializer_list<std::string_view> any_of);

/// "void at::native::foo<int, 4>(int*)" as "at::native::foo".
std::string short_kernel_name(std::string_view name);

/// A matrix or convolution kernel that multiplies fp32 data as TF32.
bool is_tf32_kernel(std::string_view name);

/// A matrix or convolution kernel that adds fp16 products up in fp16.
bool sums_in_fp16(std::string_view name);

/// A kernel of a matrix product or of attention.
bool is_product_kernel(std::string_view name);

/// A kernel that only moves an image's channels to the other end of memory.
bool is_layout_kernel(std::string_view name);

/// The type of elements that a kernel for lists of tensors moves; `half` is what two bytes hold.
std::optional<DataType> element_type(std::string_view name, DataType half);

/// A copy between host and device, or between devices; none for other work.
std::optional<TransferKind> copy_kind(std::string_view name);

/// The two gradients of a convolution run as one operator: how many of its kernels, in the order of
/// their launch, belong to the gradient of the input; the others compute that of the weight, for
/// libraries run one after the other. None where the names do not tell.
std::optional<std::size_t> data_gradient_kernels(const std::vector<std::string_view>& names);

}  // namespace roofline
