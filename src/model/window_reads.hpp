#pragma once

// Which positions a layer reads: strides beyond the window, gaps between taps and a remainder at
// the end skip positions, and some windows see only padding.

#include "roofline/layer.hpp"

namespace roofline {

/// One axis: window o reads o * stride + t * dilation - pad_begin for each tap t, if this is one of
/// the `positions`. Every number but the padding is at least 1.
struct AxisWindows {
  std::uint64_t positions = 1;
  std::uint64_t windows = 1;
  std::uint64_t taps = 1;
  std::uint64_t stride = 1;
  std::uint64_t dilation = 1;
  std::uint64_t pad_begin = 0;
};

/// Number of positions read by any window.
std::uint64_t positions_read(const AxisWindows& axis);

/// Number of pairs of a window and a tap which read a position.
std::uint64_t taps_reading(const AxisWindows& axis);

/// Number of windows which read a position.
std::uint64_t windows_reading(const AxisWindows& axis);

/// For a layer with a window. Positions are the operand's, windows the result's; reversed for a
/// transposed convolution.
AxisWindows windows_along(const Layer& layer, std::size_t axis);

/// Without a window, the operand's positions: shrinking by nearest neighbours reads one a result.
std::uint64_t positions_read(const Layer& layer, std::size_t axis);

}  // namespace roofline
