#pragma once

// The physical constants of the contraction kernels, by architecture (and with it the library
// generation) and engine. All are in units that scale: shares of a datasheet peak, clocks, bytes a
// clock an SM, seconds.

#include <string>

#include "model/kernel/contraction.hpp"
#include "model/kernel/machine.hpp"
#include "roofline/engine.hpp"

namespace roofline {

struct ContractionConstants {
  const char* origin = "";  ///< a literal: where the set comes from

  // The main loop.
  double math_share = 0.7;        ///< sustained share of the engine's peak, large tiles
  double operand_element = 16;    ///< a tile edge at which bringing operands to the ALUs costs as
                                  ///< much time as the arithmetic: share / (1 + e*(1/m + 1/n))
  double step_latency_clk = 300;  ///< least time of one step (tile k) of one block
  double library_share = 1;       ///< rate of the GEMM library's kernels, relative to convolutions'
  double window_step_latency_clk = 400;  ///< the same where addresses follow a window
  double window_latency_clk = 500;       ///< more of a block's start then (offset tables)
  double block_latency_clk = 2500;       ///< a block's start, first loads, last stores
  double l2_byte_per_clk_per_sm = 40;
  double gather_per_clk_per_sm = 2;   ///< elements an SM can fetch one by one (unaligned channels)
  double wgrad_gather = 0.5;          ///< the same in weight gradients, relative to it
  double scatter_per_clk_per_sm = 2;  ///< results an SM can add by atomics
  double dgrad_share = 1;             ///< rate of the pass's kernels relative to forward ones
  double wgrad_share = 1;

  // Memory and launches.
  double overlap_loss =
      0.1;                 ///< share of the shorter of kernel and DRAM time that does not overlap
  double launch_s = 3e-6;  ///< from one kernel to the next, its start and its drain
  double library_launch_s = 2.4e-6;  ///< the same for the GEMM library's kernels, on every GPU
  double extra_kernel_s = 2e-6;      ///< each further kernel of the same layer
  double window_reduce_s = 5e-6;     ///< adding split-K sums after a kernel that follows a window
  double fft_share = 0.5;            ///< speed of FFT transforms relative to Winograd's
  double transpose_per_clk_per_sm = 2;  ///< elements, between NCHW and NHWC

  // Power: a board at its limit lowers the clock.
  double joule_per_flop = 0;  ///< dynamic, at the boost clock; 0: the limit never binds

  // Algorithms the library has for this engine.
  bool split_k = true;             ///< forward and data gradient too; weight gradients always may
  bool scatter = false;            ///< data gradients by atomics (cuDNN's algorithm 0)
  bool skips_empty_phases = true;  ///< of strided data gradients: phases that meet no tap
  std::uint32_t channel_pad = 1;   ///< unaligned channels are padded to this
  bool winograd = false;           ///< in forward and data gradient
  bool winograd_wgrad = false;
  bool fft = false;
  double winograd_share = 0.7;  ///< fused kernels, relative to math_share
  double batched_share = 0.8;   ///< GEMMs over transformed tiles, relative to math_share
};

/// `math_origin` is set to where math_share comes from.
ContractionConstants constants_for(const Machine& machine, Engine engine, std::string& math_origin);

/// Bytes of an operand's element.
double operand_byte(Engine engine);

}  // namespace roofline
