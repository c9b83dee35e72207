#pragma once

// The work that a contraction asks of a kernel, whichever runs it. Computed once a layer, before an
// engine, a library's kernel and its operands' layout are chosen.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernel/layer_sizes.hpp"
#include "roofline/layer.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

/// Sizes are doubles, as they only enter times. A product without a window has its pass, types and
/// bytes alone. Refers to its layer and counts.
struct Problem {
  const Layer* layer = nullptr;
  const Shape* input = nullptr;  ///< of the convolution; a transposed one is its data gradient
  const Shape* output = nullptr;
  Pass pass = Pass::fwd;  ///< of that convolution
  KernelSource kernels = KernelSource::library;
  bool convolves = false;
  bool nhwc = false;
  std::uint8_t rank = 2;  ///< axes of the window; 1 for one row of an image too
  double element_byte = 4;
  double result_byte = 4;
  Streams streams;         ///< counted bytes, once
  double weight_byte = 0;  ///< of them
  double flop = 0;         ///< counted

  double batch = 1;
  double groups = 1;
  double in_channels = 1;
  double out_channels = 1;
  double group_in = 1;  ///< channels of a group
  double group_out = 1;
  double input_positions = 1;  ///< per channel of an image
  double output_positions = 1;
  double in_h = 1;
  double in_w = 1;
  double out_h = 1;
  double out_w = 1;
  double taps = 1;  ///< of the window
  double kernel_h = 1;
  double kernel_w = 1;
  double stride = 1;    ///< product over the axes
  double dilation = 1;  ///< the largest
  /// A scattered product pads an image's rows to a multiple of this.
  double row_multiple = 1;

  bool is_fwd() const { return pass == Pass::fwd; }
  bool is_dgrad() const { return pass == Pass::dgrad; }
  bool is_wgrad() const { return pass == Pass::wgrad; }
  bool is_16bit() const { return element_byte <= 2; }
  /// Each group fills a tile of tensor cores. Narrower ones in fp32 run on vector units, whether
  /// TF32 is on or not.
  bool groups_fill_tiles() const { return std::min(group_in, group_out) >= 64; }
  bool strided_dgrad() const { return is_dgrad() && stride > 1; }
  /// Positions of all images.
  double in_positions() const { return batch * input_positions; }
  double out_positions() const { return batch * output_positions; }
  /// Positions behind a GEMM's rows: outputs, or inputs in a data gradient.
  double positions() const { return is_dgrad() ? in_positions() : out_positions(); }
  double input_element() const { return in_positions() * in_channels; }
  double output_element() const { return out_positions() * out_channels; }
  /// Elements of the tensor made by a forward pass or data gradient.
  double made_element() const { return is_dgrad() ? input_element() : output_element(); }
};

/// Empty for a layer that is no contraction.
Problem problem_of(const Layer& layer, const Counts& counts);

/// As skipped_byte() of a layer (layer_sizes.hpp), of a convolution: windows in unit steps skip
/// nothing.
double skipped_byte(const Problem& problem, std::size_t axes);

}  // namespace roofline
