#pragma once

// What a library has for convolutions whose kernels go by names, as MIOpen calls its solvers. Which
// there are, and which layers each runs, stands as data in the files of constants.

#include <cstdint>
#include <string>

#include "kernel/engine_facts.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// Solvers whose kernels take the same constants.
// clang-format off
enum class SolverFamily : std::uint8_t {
  xdlops_nhwc, xdlops_fwd, xdlops_dgrad, xdlops_wgrad, xdlops_padded, xdlops_mlir, xdlops_asm,
  gemm, gemm_wgrad, gemm_columns, gemm_strided, vector_tiled, vector_mlir,
  asm_1x1, asm_1x1_wgrad, asm_3x3, asm_3x3_wgrad, direct, direct_1x1, direct_wgrad,
  winograd_2x3, winograd_3x2, winograd_3x4, naive_fwd, naive_dgrad, naive_wgrad
};

/// What a layer is: a solver runs it where it has every word of it. A pointwise one has no padding.
enum class SolverWord : std::uint8_t {
  fwd, dgrad, wgrad, fp32, fp16, bf16, planes, volumes, one_group, groups,
  pointwise, window_3x3, windows, unit_strides, strides, undilated, dilations
};
// clang-format on

/// What a solver makes of a layer.
enum class SolverMethod : std::uint8_t {
  product,       ///< one product over all images
  copied,        ///< the same between copies of all tensors to NHWC and back
  image_batch,   ///< a batch of products, an image each; weight gradients one after the other
  strided,       ///< the same of places that a kernel picks out or puts back
  columns,       ///< a product an image, one after the other, of columns that a kernel writes
                 ///< (im2col) or adds up (col2im)
  winograd_2x3,  ///< F(2, 3) in one kernel
  winograd_3x2,  ///< F(3, 2)
  winograd_3x4,  ///< F(3, 4) between kernels that transform: weight gradients of 3x3
};

}  // namespace roofline
