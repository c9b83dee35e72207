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

/// PyTorch and cuDNN run 16-bit and TF32 layers with channels innermost (NHWC) and fp32 ones with
/// columns innermost (NCHW); the measurements were made so.
inline bool channels_innermost(const Layer& layer) {
  return layer.dtypes.input != DataType::fp32 && layer.dtypes.input != DataType::fp64;
}

}  // namespace roofline
