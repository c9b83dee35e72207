#pragma once

// Sizes of layers as doubles: they only enter times.

#include "roofline/layer.hpp"

namespace roofline {

inline double spatial_size(const Shape& shape) {
  return static_cast<double>(shape.spatial[0]) * static_cast<double>(shape.spatial[1]) *
         static_cast<double>(shape.spatial[2]);
}

inline double element_count(const Shape& shape) {
  return static_cast<double>(shape.batch) * static_cast<double>(shape.channels) *
         spatial_size(shape);
}

inline double window_taps(const Window& window) {
  return static_cast<double>(window.kernel[0]) * static_cast<double>(window.kernel[1]) *
         static_cast<double>(window.kernel[2]);
}

inline double window_stride(const Window& window) {
  return static_cast<double>(window.stride[0]) * static_cast<double>(window.stride[1]) *
         static_cast<double>(window.stride[2]);
}

/// The pass of the convolution between the same two tensors: the forward pass of a transposed one
/// is its data gradient, and the other way round.
constexpr Pass mirrored(Pass pass) {
  switch (pass) {
    case Pass::fwd: return Pass::dgrad;
    case Pass::dgrad: return Pass::fwd;
    case Pass::wgrad: return Pass::wgrad;
  }
  return pass;
}

/// Channels innermost, or blocks of them.
inline bool is_nhwc(const Layer& layer) { return layout_of(layer) != Layout::nchw; }

}  // namespace roofline
