#pragma once

// Sizes of layers as doubles, as they only enter times.

#include <cstddef>

#include "roofline/layer.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

inline double product(const Axes& axes) {
  return static_cast<double>(axes[0]) * static_cast<double>(axes[1]) * static_cast<double>(axes[2]);
}

inline double element_count(const Shape& shape) {
  return static_cast<double>(shape.batch) * static_cast<double>(shape.channels) *
         product(shape.spatial);
}

/// Channels innermost, or blocks of channels.
inline bool is_nhwc(const Layer& layer) { return layout_of(layer) != Layout::nchw; }

/// A copy between NCHW and channels last; its layout is the result's.
inline bool changes_layout(const Layer& layer) {
  return layer.kind == LayerKind::copy && layer.access == Access::transposed &&
         layer.inputs.front().shape == layer.output && product(layer.output.spatial) > 1;
}

/// A layer's forward convolution, or that of its gradient: a transposed forward pass is its
/// mirror's data gradient, and vice versa.
struct Mirror {
  const Shape* input;
  const Shape* output;
  Pass pass;
};
Mirror mirror_of(const Layer& layer);

/// A window of one axis, or of two over images of one row: PyTorch calls the latter for the former.
bool is_line(const Layer& layer);

/// Bytes of the (mirrored) input moved without being read by a window, beyond Counts::bytes, if a
/// kernel skips positions along the first `axes` axes only. Memory moves whole sectors of 32 bytes
/// (CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory"): with channels innermost a
/// skipped position is whole sectors, in NCHW a skipped column shares its sector with read ones.
/// Gaps between dilated taps move too, as measured (transposed convolutions of stride 2 and
/// dilation 2 on an H100). 0 if the pass writes this input.
double skipped_byte(const Layer& layer, std::size_t axes);

/// Counted reads and writes of a pass, each tensor once.
struct Streams {
  double read_byte = 0;
  double write_byte = 0;
  double again_byte = 0;    ///< part of read_byte read again by a second walk
  double between_byte = 0;  ///< touched between the two walks over a line
};

Streams streams_of(const Layer& layer, const Counts& counts);

}  // namespace roofline
