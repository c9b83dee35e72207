#pragma once

// Convolution kernels with names, MIOpen's solvers. Files of constants list them and their layers.

#include <cstdint>

#include "kernel/engine_facts.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// Solvers with the same constants.
enum class SolverFamily : std::uint8_t {
  xdlops_nhwc,
  xdlops_fwd,
  xdlops_dgrad,
  xdlops_wgrad,
  xdlops_padded,
  xdlops_mlir,
  xdlops_asm,
  gemm,
  gemm_wgrad,
  gemm_columns,
  gemm_strided,
  vector_tiled,
  vector_mlir,
  asm_1x1,
  asm_1x1_wgrad,
  asm_3x3,
  asm_3x3_wgrad,
  direct,
  direct_1x1,
  direct_wgrad,
  winograd_2x3,
  winograd_3x2,
  winograd_3x4,
  naive_fwd,
  naive_dgrad,
  naive_wgrad
};

/// Properties of a layer: a solver runs it if it has every word. Pointwise includes no padding.
enum class SolverWord : std::uint8_t {
  fwd,
  dgrad,
  wgrad,
  fp32,
  fp16,
  bf16,
  planes,
  volumes,
  one_group,
  groups,
  pointwise,
  window_3x3,
  windows,
  unit_strides,
  strides,
  undilated,
  dilations,
  nhwc,
  nchw,
  depthwise,  ///< one channel into and out of a group
  several_channels
};

/// A solver's way to run a layer.
enum class SolverMethod : std::uint8_t {
  product,       ///< one product over all images
  copied,        ///< product, between copies of all tensors to NHWC and back
  image_batch,   ///< a batch of products, one per image; weight gradients in sequence
  strided,       ///< image_batch on places which a kernel picks out or puts back
  columns,       ///< one product per image, of columns which a kernel writes or adds up (col2im)
  winograd_2x3,  ///< F(2, 3) in one kernel
  winograd_3x2,  ///< F(3, 2)
  winograd_3x4,  ///< F(3, 4) between transforming kernels: weight gradients of 3x3
};

}  // namespace roofline
