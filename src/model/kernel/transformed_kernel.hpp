#pragma once

// Convolutions by transformed tiles: Winograd and FFT. All need stride 1, dilation 1 and two axes.
//
// A tile of t x t inputs gives (t - r + 1)^2 outputs; in the transformed domain each of its points
// is one multiply-add a channel pair. So P points make P products of M = tiles, N = K, K = C
// (weight gradient: M = K, N = C, K = tiles), far fewer multiply-adds than the (t - r + 1)^2 * r^2
// of the window.
//
//   winograd_2x2_fused      t = 4, r = 3: 16 points for 4 * 9 = 36 taps; one kernel, nothing
//   spilled.
//                           A block of 32 tiles x 32 channels has the arithmetic and the operand
//                           bytes of a 128 x 128 GEMM tile, so it is timed as one: M' = 4 tiles, N'
//                           = 4 K.
//   winograd_4x4_nonfused   t = 6, r = 3: 36 points for 144 taps (t = 9, r = 5: 81 for 625), and
//   the
//                           transformed input and result go through memory between three kernels
//   fft_tiled               t = 32: t*(t/2+1) complex points (4 multiply-adds), 8 byte each

#include <optional>

#include "model/kernel/gemm_kernel.hpp"
#include "roofline/algorithm.hpp"

namespace roofline {

/// The kernels before and after the products, and the memory between.
struct Staging {
  double tiles = 0;
  double points = 0;
  double point_byte = 0;
  double workspace_byte = 0;  ///< 0: nothing is staged
  bool in_l2 = false;         ///< the workspace
  double workspace_byte_per_s = 1;
  double transform_share = 1;   ///< of that rate, of transforms
  double product_memory_s = 0;  ///< the workspace through the products
  double transform_s = 0;       ///< the workspace through the transforms
  double image_s = 0;           ///< the layer's own operands and result
  double further_launch_s = 0;
};

struct TransformedTime {
  bool available = false;
  Algorithm algorithm = Algorithm::winograd_2x2_fused;
  GemmTime gemm;
  Staging staging;
  double kernels = 1;
  double total_s = 0;  ///< without the launch of the first kernel and DRAM of the operands
};

/// The fastest transformed algorithm that the library offers for this layer, if any; with
/// `stated` that one, also where the library has none.
TransformedTime best_transformed(const Contraction& x, const ResolvedModel& model,
                                 const EngineModel& engine, std::optional<Algorithm> stated = {});

}  // namespace roofline
