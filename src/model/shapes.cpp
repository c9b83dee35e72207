#include "model/shapes.hpp"

#include "model/checked.hpp"

namespace roofline {

std::uint64_t kernel_extent(const Window& window, std::size_t axis) {
  return checked_add(checked_mul(window.dilation[axis], window.kernel[axis] - 1), 1);
}

std::uint64_t window_output_size(const Window& window, std::size_t axis, std::uint64_t input_size) {
  const std::uint64_t extent = kernel_extent(window, axis);
  const std::uint64_t padded =
      checked_add(input_size, window.pad_begin[axis], window.pad_end[axis]);
  if (extent > padded) return 0;
  const std::uint64_t stride = window.stride[axis];
  const std::uint64_t steps = (padded - extent) / stride;
  const bool partial = (padded - extent) % stride != 0;
  if (window.ceil_mode && partial &&
      checked_mul(steps + 1, stride) < input_size + window.pad_begin[axis])
    return steps + 2;
  return steps + 1;
}

std::uint64_t transposed_output_size(const Window& window, std::size_t axis,
                                     std::uint64_t input_size) {
  const std::uint64_t full = checked_add(checked_mul(input_size - 1, window.stride[axis]),
                                         kernel_extent(window, axis), window.output_padding[axis]);
  const std::uint64_t padding = checked_add(window.pad_begin[axis], window.pad_end[axis]);
  return full > padding ? full - padding : 0;
}

void set_same_padding(Window& window, std::size_t axis, std::uint64_t input_size) {
  const std::uint64_t stride = window.stride[axis];
  const std::uint64_t output_size = (input_size - 1) / stride + 1;
  const std::uint64_t needed =
      checked_add(checked_mul(output_size - 1, stride), kernel_extent(window, axis));
  const std::uint64_t total = needed > input_size ? needed - input_size : 0;
  window.pad_begin[axis] = total / 2;
  window.pad_end[axis] = total - total / 2;
}

}  // namespace roofline
