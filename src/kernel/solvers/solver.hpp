#pragma once

// What a library has for convolutions whose kernels go by names, as MIOpen calls its solvers. Which
// there are, and which layers each runs, stands as data in the files of constants.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/engine_facts.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// Solvers whose kernels take the same constants.
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
  naive_wgrad,
};

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

/// What a layer is: a solver runs it where it has every word of it.
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
  pointwise,  ///< a window of one, without padding
  windows,    ///< any other
  unit_strides,
  strides,
  undilated,
  dilations,
};

using SolverWords = EnumArray<SolverWord, bool>;

struct Solver {
  SharedValue<std::string> name;
  Algorithm algorithm = Algorithm::implicit_gemm;
  SolverFamily family = SolverFamily::gemm;
  SolverMethod method = SolverMethod::product;
  EngineClass engine = EngineClass::vector;  ///< units that multiply matrices are tensor
  SolverWords runs{};
  std::uint32_t window = 0;                         ///< edge of the only window that it has; 0: any
  std::array<std::uint32_t, 3> multiples{1, 1, 1};  ///< that m, n and k of its product must be of
  bool splits = false;                              ///< several blocks may share a tile's k
  std::vector<std::array<std::uint32_t, 3>> tiles;  ///< m, n, k
};

}  // namespace roofline
