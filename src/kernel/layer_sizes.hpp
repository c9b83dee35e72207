#pragma once

// Sizes of layers as doubles: they only enter times.

#include "roofline/layer.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

inline double spatial_size(const Shape& shape) {
  return static_cast<double>(shape.spatial[0]) * static_cast<double>(shape.spatial[1]) *
         static_cast<double>(shape.spatial[2]);
}

inline double element_count(const Shape& shape) {
  return static_cast<double>(shape.batch) * static_cast<double>(shape.channels) *
         spatial_size(shape);
}

inline double product(const Axes& axes) {
  return static_cast<double>(axes[0]) * static_cast<double>(axes[1]) * static_cast<double>(axes[2]);
}

/// Channels innermost, or blocks of them.
inline bool is_nhwc(const Layer& layer) { return layout_of(layer) != Layout::nchw; }

/// The forward convolution that a layer is, or whose gradient it is: the forward pass of a
/// transposed one is the data gradient of its mirror, and the other way round.
struct Mirror {
  const Shape* input;
  const Shape* output;
  Pass pass;
};
Mirror mirror_of(const Layer& layer);

/// Share of the (mirrored) input that a window narrower than its stride reads, along the first
/// `axes` axes.
double touched_share(const Window& window, std::size_t axes);

/// What a pass reads and writes, each tensor once.
struct Streams {
  double read_byte = 0;
  double write_byte = 0;
  double again_byte = 0;    ///< of what is read, that a second walk reads
  double between_byte = 0;  ///< touched between the two walks over a line
};

Streams streams_of(const Layer& layer, const Counts& counts);

}  // namespace roofline
