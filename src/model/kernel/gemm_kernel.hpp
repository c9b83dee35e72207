#pragma once

// The time of a tiled matrix product on a GPU, and the search for a library's fastest tile.
//
// A block computes an m x n tile of the result in steps of k. With B = blocks, S = SMs, R =
// resident blocks an SM (occupancy.hpp), the blocks run in waves of S*R; the last wave has
// ceil(rest/S) on an SM.
//
//   math step   2*m*n*k / (peak/S * share) * (1 + e*(1/m + 1/n))
//               (small tiles load more operands for an FMA)
//   l2 step     (m + n)*k*bytes / (L2 bytes a second an SM)
//   shared step 2*sqrt(m*n/threads)*threads*k*bytes / (shared-memory bytes a second an SM)
//               (of stated tiles: a thread's r x r outputs want r + r operands for r*r FMA)
//   alone       steps*max(math step * max(1, schedulers/warps), step latency) + block latency
//               (each scheduler wants a warp, and a block alone has only its own)
//   wave(j)     max(j*(steps*max(math step, l2 step) + store), alone)     j blocks on an SM
//   kernel      full waves * wave(R) + wave(ceil(rest/S))
//
// Split-K gives each tile to several blocks; their fp32 partial sums go through L2 once more. On
// top: DRAM time (overlapping all but a share of the shorter) and the launch.
//
// Worked example, V100 fp32, M = 1568, N = 256, K = 256, tile 128x32x8: 13 * 8 = 104 blocks on 80
// SMs hold at most two an SM; 32 steps of 2*128*32*8 FLOP at 196 GFLOP/s an SM.

#include <cstdint>
#include <span>

#include "model/kernel/contraction.hpp"
#include "model/kernel/occupancy.hpp"
#include "model/kernel/resolved_model.hpp"

namespace roofline {

/// The list of a library's tiles for an engine and product.
std::span<const TileKernel> library_tiles(const TileLists& lists, Engine engine,
                                          const Contraction& x);

/// Shared memory of a tile's pipeline. `patch_share`: see GemmWork.
std::uint64_t tile_shared_byte(const TileKernel& tile, double element_byte, double patch_share = 1);

/// What the arithmetic of a product runs at.
struct GemmRate {
  double peak_flop_per_s = 0;
  double math_share = 1;
  double role_share = 1;    ///< of the pass's kernels
  double kernel_share = 1;  ///< of the GEMM library's kernels, or of transformed tiles'
  double flop_ratio = 1;    ///< of what is done to what is counted: complex products
};

/// A matrix product in the units of the inner loop.
struct GemmWork {
  double m = 1, n = 1, k = 1, count = 1;
  const char* m_is = "";  ///< in words
  const char* n_is = "";
  const char* k_is = "";
  double k_runs = 1;  ///< k is this many runs, each rounded up to whole steps
  double element_byte = 4;
  double result_byte = 4;
  GemmRate rate;
  double second_per_flop = 0;  ///< of one SM, by the rate
  double second_per_l2_byte = 0;
  double second_per_gather = 0;       ///< 0: vector loads
  double second_per_scatter = 0;      ///< 0: plain stores
  double second_per_shared_byte = 0;  ///< 0: the tile's loads are in operand_element
  double patch_share =
      1;                  ///< of the m side's operands, what is loaded: a patch serves all its taps
  bool gather_n = false;  ///< the gathered operand is the N side (weight gradient)
  double operand_element = 0;
  double step_latency_s = 0;
  double block_latency_s = 0;
  double schedulers = 4;  ///< warps that an SM needs for its full rate
  double sm_count = 1;
  double partial_second_per_byte = 0;  ///< of the whole GPU, for split-K sums
  double reduce_s = 0;                 ///< the second kernel that adds them
  double most_split_blocks = 1e9;      ///< no split makes more blocks than this
  bool may_split = true;
};

/// Multiplies the share that the product's kernels reach.
void scale_rate(GemmWork& work, double kernel_share, double flop_ratio = 1);

/// A tile's own rates, the same for all splits.
struct TileCost {
  double overhead = 1;  ///< of bringing operands to the ALUs, on top of the arithmetic
  double math_s = 0;    ///< of one step: its arithmetic
  double l2_s = 0;      ///< its operands from L2
  double gather_s = 0;  ///< the same one by one
  double shared_s = 0;  ///< from shared memory to registers
  double step_s = 0;    ///< on an SM that has others to overlap with
  double serial_s = 0;  ///< of a block alone
  double store_s = 0;   ///< of a block's results
  double tiles = 0;     ///< over the result
  double steps = 0;     ///< along k
};

/// Blocks in waves.
struct Schedule {
  double blocks = 0;
  double steps = 0;    ///< of a block
  double block_s = 0;  ///< of an SM that has others to overlap with
  double chain_s = 0;  ///< of a block alone
  double full_waves = 0;
  double last_blocks = 0;  ///< on an SM in the last wave
  double full_wave_s = 0;
  double last_wave_s = 0;
  double partial_s = 0;  ///< split-K sums through L2
  double reduce_s = 0;   ///< and the kernel that adds them
  double kernel_s = 0;   ///< all of it: without launch and DRAM
};

struct GemmTime {
  GemmWork work;
  TileKernel tile{};
  Occupancy occupancy{};
  double split = 1;
  TileCost cost;
  Schedule schedule;
  double l2_byte = 0;
  double tile_utilization = 1;  ///< share of the issued arithmetic that is in the product
  double wave_utilization = 1;  ///< busy share of the block slots over all waves
  std::uint64_t shared_byte = 0;
};

/// Time of one mapping. `resident` blocks fit an SM.
GemmTime gemm_time(const GemmWork& work, const TileKernel& tile, double split,
                   const Occupancy& resident);

/// The fastest of the tiles and splits.
GemmTime best_gemm(const GemmWork& work, std::span<const TileKernel> tiles, const SmLimits& sm);

/// Resident blocks that the schedule reckons with: one where none fits.
double resident_blocks(const GemmTime& time);

/// Steps of an SM, all blocks spread over all SMs without a gap.
double spread_steps(const GemmTime& time);

GemmWork gemm_work(const Contraction& x, const ResolvedModel& model, const EngineModel& engine);

/// The peak at which a product large enough to hide all else, on the best of the library's tiles,
/// runs at `rate_flop_per_s`.
double peak_for_rate(const ResolvedModel& model, const EngineModel& engine, double rate_flop_per_s);

}  // namespace roofline
