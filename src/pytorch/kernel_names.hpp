#pragma once

// What the names of kernels and copies tell.

#include <optional>
#include <string>
#include <string_view>

#include "roofline/data_type.hpp"
#include "roofline/transfer.hpp"

namespace roofline {

/// "void at::native::foo<int, 4>(int*)" as "at::native::foo".
std::string short_kernel_name(std::string_view name);

/// A matrix or convolution kernel that multiplies fp32 data as TF32.
bool is_tf32_kernel(std::string_view name);

/// A matrix or convolution kernel that adds fp16 products up in fp16.
bool sums_in_fp16(std::string_view name);

/// A kernel of a matrix product or of attention.
bool is_product_kernel(std::string_view name);

/// Of a copy between host and device, or between devices; none for other work.
std::optional<TransferKind> copy_kind(std::string_view name);

/// A kernel that only moves an image's channels to the other end of memory.
bool is_layout_kernel(std::string_view name);

/// Type of the elements that a kernel for lists of tensors moves; `half` is what two bytes hold.
std::optional<DataType> element_type(std::string_view name, DataType half);

}  // namespace roofline
