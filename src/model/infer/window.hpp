#pragma once

// Layers that slide a window, convolutions and pools: what they state, and their output sizes.

#include <cstdint>

#include "model/infer/operands.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// Taps that one kernel spans: dilation * (kernel - 1) + 1. Throws OverflowError.
std::uint64_t kernel_extent(const Window& window, std::size_t axis);

/// floor((in + pad_begin + pad_end - extent) / stride) + 1; for pools with ceil_mode rounded up,
/// but never to a window that starts past the input and its leading padding (PyTorch's rule).
/// Returns 0 where the kernel is larger than the padded input. Throws OverflowError.
std::uint64_t window_output_size(const Window& window, std::size_t axis, std::uint64_t input_size);

/// (in - 1) * stride - pad_begin - pad_end + extent + output_padding. Returns 0 where the padding
/// leaves nothing. Throws OverflowError.
std::uint64_t transposed_output_size(const Window& window, std::size_t axis,
                                     std::uint64_t input_size);

/// Gives the axis the padding with which a stride of 1 keeps its size and a stride of s divides it
/// by s, rounded up; an odd element goes to the end.
void set_same_padding(Window& window, std::size_t axis, std::uint64_t input_size);

/// Fills inputs, window, groups, bias and output. Fails with a FieldFailure.
void infer_convolution(const LayerSpec& spec, const LayerScope& scope, Layer& layer);
void infer_pool(const LayerSpec& spec, const LayerScope& scope, Layer& layer);

/// "; padding 2 gives 256" where a symmetric padding of a window of stride 1 would give `wanted`.
std::string padding_hint(const Layer& layer, std::size_t axis, std::uint64_t wanted);

}  // namespace roofline
