#pragma once

// Which positions a layer reads: strides longer than the window, gaps between taps, and a remainder
// at the end leave out some of them, and where padding is wide some windows see nothing else.

#include <cstddef>
#include <cstdint>

#include "roofline/layer.hpp"

namespace roofline {

/// One axis: window o reads o * stride + t * dilation - pad_begin for each of its taps t, as far as
/// that is one of the `positions`. Every number but the padding is at least 1.
struct AxisWindows {
  std::uint64_t positions = 1;
  std::uint64_t windows = 1;
  std::uint64_t taps = 1;
  std::uint64_t stride = 1;
  std::uint64_t dilation = 1;
  std::uint64_t pad_begin = 0;
};

/// How many positions some window reads.
std::uint64_t positions_read(const AxisWindows& axis);

/// How many windows read a position.
std::uint64_t windows_reading(const AxisWindows& axis);

/// An axis of a layer with a window. The positions are those of the operand, the windows those of
/// the result; of a transposed convolution it is the other way round.
AxisWindows windows_along(const Layer& layer, std::size_t axis);

/// How many of those positions the layer reads; without a window, how many of the operand's: an
/// image that gets smaller by nearest neighbours needs as many as it then has.
std::uint64_t positions_read(const Layer& layer, std::size_t axis);

}  // namespace roofline
