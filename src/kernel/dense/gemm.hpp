#pragma once

// The time of a tiled matrix product on a GPU.
//
// A block computes an m x n tile of the result in steps of k, double-buffered: a step takes the
// longer of its arithmetic and its operands' loads. Blocks run in waves of SMs x resident blocks
// (Occupancy); the last wave holds the rest. Split-K gives each tile to several blocks, whose fp32
// partial sums pass through L2 once more.
//
// Example, V100 fp32, M = 1568, N = 256, K = 256, tile 128x32x8: 13 * 8 = 104 blocks on 80 SMs, at
// most two per SM; 32 steps of 2*128*32*8 FLOP at 196 GFLOP/s per SM.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "kernel/dense/layer_product.hpp"
#include "kernel/rates.hpp"

namespace roofline {

/// Costs on one SM, and fixed costs of a block.
template <class Number>
struct ProductRates {
  Number sm_count{};
  Number second_per_flop{};
  Number least_second_per_flop{};  ///< at the peak
  Number second_per_l2_byte{};
  Number second_per_gather{};       ///< 0: vector loads
  Number second_per_scatter{};      ///< 0: plain stores
  Number second_per_stored_byte{};  ///< the longer of transfer to L2 and a block's stores
  Number second_per_narrow{};       ///< results stored beside arithmetic; 0: no limit
  Number second_per_shared_byte{};  ///< 0: a tile's loads are in operand_element
  Number operand_element{};
  Number step_latency_s{};
  Number block_latency_s{};
  Number schedulers{};       ///< warps needed by an SM for its full rate; 0: chains only wait
  Number at_full_clock = 1;  ///< arithmetic's time there, to its time under the power limit
  Number warp_size{};
  Number second_per_sum_byte{};   ///< of split k, through L2, on all SMs
  Number second_per_dram_byte{};  ///< of sums which are converted
  /// Sums above the first size begin to leave L2; above the second all have left.
  double l2_kept_byte = 0;
  double l2_lost_byte = 0;
  Number reduce_s{};   ///< the second kernel, which adds the parts of split k
  Number columns_s{};  ///< of fetching all columns once more; 0: L2 keeps them
};

template <class Number>
Number kernel_share(ProductKernels kernels, const EngineModel& engine,
                    const TransformConstants& transforms, Eval<Number>& eval) {
  const DenseConstants& constants = *engine.constants;
  switch (kernels) {
    case ProductKernels::convolution: return 1;
    case ProductKernels::older:
    case ProductKernels::older_strided: return eval(constants.older_share);
    case ProductKernels::gemm_library: return eval(constants.library_share);
    case ProductKernels::fused_winograd: return eval(transforms.winograd_share);
    case ProductKernels::transformed_points:
      return eval(transforms.batched_share) * eval(constants.library_share);
  }
  return 1;
}

/// Tensor-core rate on rows which the newest instructions' bulk copies cannot take: those need
/// whole 16 byte (CUDA C++ Programming Guide, "Tensor Memory Accelerator"). Copies which bypass
/// registers take 4 and 8 byte ("Asynchronous data copies"); rows of 2 byte pass through registers.
template <class Number>
Number unaligned_flop_per_s(const TileProduct& product, const TensorConstants& constants,
                            const MachineRates<Number>& machine, Eval<Number>& eval) {
  const double& rate = product.row_byte < 4 ? constants.odd_row_flop_per_clk_per_sm
                                            : constants.short_row_flop_per_clk_per_sm;
  return eval.named("FLOP a second on rows of no whole 16 byte",
                    eval(rate) * (2 / product.element_byte) * machine.sm_count * machine.clock_hz,
                    "FLOP/s");
}

template <class Number>
ProductRates<Number> product_rates(const TileProduct& product, const ResolvedModel& model,
                                   const EngineModel& engine, const MachineRates<Number>& machine,
                                   Eval<Number>& eval) {
  const DenseConstants& constants = *engine.constants;
  const TensorConstants& on_tensor = model.constants->values.tensor_kernels;
  const MemorySystem& memory = model.memory;
  const Number clock = machine.clock_hz;
  ProductRates<Number> r;
  r.sm_count = machine.sm_count;
  const Number peak = engine.peak_flop_per_s;
  const Number math_share = eval.sourced(engine.math_share, engine.math_origin);
  const Number volume_share = product.follows_volume ? eval(constants.volume_share) : Number(1);
  const Number role_share = product.role == Pass::dgrad   ? eval(constants.dgrad_share)
                            : product.role == Pass::wgrad ? eval(constants.wgrad_share)
                                                          : Number(1);
  Number flop_per_s =
      peak * math_share * volume_share * role_share *
      kernel_share(product.kernels, engine, model.constants->values.transforms, eval);
  if (product.row_byte < 16)
    flop_per_s = min({flop_per_s, unaligned_flop_per_s(product, on_tensor, machine, eval)});
  r.second_per_flop =
      eval.named("time of a FLOP on an SM", r.sm_count * product.flop_ratio / flop_per_s, "s");
  r.least_second_per_flop = r.sm_count * product.flop_ratio / engine.rate_flop_per_s;
  r.second_per_l2_byte =
      eval.named("time of a byte from L2 on an SM",
                 1 / (eval(memory.constants->l2_operand_byte_per_clock_per_sm) * clock), "s");
  if (product.gather_vector > 0)
    r.second_per_gather =
        1 / (eval(constants.gather_per_clk_per_sm) * product.gather_vector * clock *
             (product.first_layer ? eval(constants.first_layer_gather) : Number(1)) *
             (product.role == Pass::wgrad ? eval(on_tensor.wgrad_gather) : Number(1)));
  const bool of_library = product.kernels == ProductKernels::gemm_library;
  const double& store_rate = of_library ? std::min(constants.library_store_byte_per_clk_per_sm,
                                                   constants.store_byte_per_clk_per_sm)
                                        : constants.store_byte_per_clk_per_sm;
  const bool stores_slowly = store_rate < memory.constants->l2_operand_byte_per_clock_per_sm;
  r.second_per_stored_byte = stores_slowly ? 1 / (eval(store_rate) * clock) : r.second_per_l2_byte;
  if (product.scattered)
    r.second_per_scatter = 1 / (eval(constants.scatter_per_clk_per_sm) * clock);
  // 32 banks of 4 byte per clock (CUDA C++ Programming Guide, "Shared Memory"); AMD's and Intel's
  // local memories are as wide.
  if (product.shares_operands)
    r.second_per_shared_byte = 1 / (eval.sourced(32 * 4, "32 banks of 4 byte a clock") * clock);
  r.operand_element =
      product.load_ratio * eval(constants.operand_element) *
      eval.factor("share of operand loads, beside arithmetic at half rate", engine.load_share);
  const bool is_tensor = is_tensor_engine(engine.engine);
  const bool older_strided = product.kernels == ProductKernels::older_strided;
  const bool older_tensor =
      is_tensor && (older_strided || product.kernels == ProductKernels::older);
  r.step_latency_s = eval(older_tensor             ? on_tensor.older_step_latency_clk
                          : product.follows_window ? constants.window_step_latency_clk
                                                   : constants.step_latency_clk) /
                     clock;
  r.block_latency_s =
      (eval(constants.block_latency_clk) +
       (product.follows_window ? eval(constants.window_latency_clk) : Number{}) +
       (older_strided && is_tensor ? eval(on_tensor.strided_latency_clk) : Number{})) /
      clock;
  if (!is_tensor && product.role == Pass::fwd && product.result_byte < 4 &&
      constants.narrow_store_per_clk_per_sm < 1e9 && !of_library)
    r.second_per_narrow = 1 / (eval(constants.narrow_store_per_clk_per_sm) * clock);
  r.second_per_sum_byte = r.second_per_l2_byte / r.sm_count;
  if (product.converts) r.second_per_dram_byte = 1 / dram_byte_per_s(memory, eval);
  const Number column_byte = product.n * product.k * product.element_byte;
  if (of_library && constants.again_share > 0 && column_byte > memory.l2_kept_byte)
    r.columns_s = column_byte / (dram_byte_per_s(memory, eval) * eval(constants.again_share));
  r.l2_kept_byte = memory.l2_kept_byte;
  r.l2_lost_byte = memory.l2_lost_byte;
  r.schedulers = model.machine.sm.schedulers;
  r.warp_size = model.machine.sm.warp_size;
  r.at_full_clock = eval.factor(
      "arithmetic's time at the full clock, to that under the power limit",
      min({1, engine.peak_flop_per_s / engine.rate_flop_per_s}), "", engine.peak_origin.c_str());
  r.reduce_s = eval.sourced(memory.launch_s, memory.launch_origin) +
               eval(product.follows_window ? constants.window_reduce_s : constants.extra_kernel_s);
  return r;
}

template <class Number>
struct TileCost {
  Number math_s{};        ///< one step's arithmetic, with operand loads
  Number l2_s{};          ///< its operands from L2
  Number step_s{};        ///< on an SM with other blocks to overlap, all SMs busy
  Number full_clock_s{};  ///< the same where the power limit leaves the full clock
  Number serial_s{};      ///< of a block alone, at the full clock
  Number store_s{};       ///< of a block's results
  Number rows{};          ///< of tiles
  Number tiles{};         ///< over the result
  Number steps{};         ///< along k
};

template <class Number>
TileCost<Number> tile_cost(const TileProduct& product, const ProductRates<Number>& r,
                           const TileKernel& tile, Eval<Number>& eval) {
  const Number m = tile.m;
  const Number n = tile.n;
  const Number k = tile.k;
  const Number threads = tile.threads;
  TileCost<Number> cost;
  cost.rows = divide_up(product.m, m);
  const Number columns = product.n_runs * divide_up(Number(product.n) / product.n_runs, n);
  cost.tiles = cost.rows * columns * product.count;
  cost.steps = product.k_runs * divide_up(Number(product.k) / product.k_runs, k);

  // Small tiles load more operands per FMA.
  const Number overhead =
      eval.named("operand loads on top", 1 + r.operand_element * (1 / m + 1 / n));
  // A partly filled warp takes the time of a full one.
  const Number lanes = eval.factor("lanes of whole warps, for each thread",
                                   divide_up(threads, r.warp_size) * r.warp_size / threads);
  const Number flop_s = max({r.second_per_flop * overhead, r.least_second_per_flop});
  cost.math_s = eval.named("arithmetic of a step", 2 * m * n * k * flop_s * lanes, "s");
  cost.l2_s = eval.summand(
      "operands of a step",
      (m * product.patch_share + n) * k * product.element_byte * r.second_per_l2_byte, "s");
  const Number gather_s =
      eval.summand("operands of a step, one by one",
                   (product.role == Pass::wgrad ? n : m) * k * r.second_per_gather, "s");
  // Each thread makes a square of outputs and reads its rows and columns.
  const double squares = std::min<double>(tile.threads, static_cast<double>(tile.m) * tile.n);
  Number shared_s{};
  if (product.shares_operands)
    shared_s = eval.summand(
        "operands of a step, shared memory",
        2 * sqrt(m * n / squares) * squares * k * product.element_byte * r.second_per_shared_byte,
        "s");
  const Number fed_s = max({cost.l2_s, gather_s, shared_s});
  cost.step_s = eval.named("step", max({cost.math_s, fed_s}), "s");
  const Number full_clock_s = cost.math_s * r.at_full_clock;
  cost.full_clock_s = max({full_clock_s, fed_s});

  // Each scheduler needs a warp; a block alone has only its own.
  const Number alone_s =
      r.schedulers > 0 ? full_clock_s * max({1, r.schedulers / (threads / 32)}) : Number{};
  cost.serial_s =
      eval.named("step of a block alone", max({alone_s, shared_s, r.step_latency_s}), "s");
  Number store_s =
      m * n * max({product.result_byte * r.second_per_stored_byte, r.second_per_scatter});
  if (r.second_per_narrow > 0)
    store_s = max({store_s, m * n * r.second_per_narrow - cost.steps * cost.step_s});
  cost.store_s = eval.summand("results of a block", store_s, "s");
  return cost;
}

template <class Number>
struct Schedule {
  Number blocks{};
  Number steps{};         ///< of a block
  Number block_s{};       ///< on an SM with other blocks to overlap, all SMs busy
  Number full_clock_s{};  ///< the same at the full clock
  Number full_waves{};
  Number last_blocks{};  ///< per SM in the last wave
  Number full_wave_s{};
  Number last_wave_s{};
  Number waves_s{};       ///< all of them
  Number partial_byte{};  ///< split-K sums, in fp32
  Number partial_s{};     ///< their way through L2 and back
  Number reduce_s{};
  Number again_s{};   ///< additional time of fetching columns again
  Number kernel_s{};  ///< total without launch and DRAM
};

template <class Number>
Schedule<Number> schedule(const TileProduct& product, const ProductRates<Number>& r,
                          const TileCost<Number>& cost, double split, double resident,
                          Eval<Number>& eval) {
  Schedule<Number> s;
  s.blocks = eval.named("blocks", cost.tiles * split);
  s.steps = eval.named("steps of a block", split == 1 ? cost.steps : divide_up(cost.steps, split));
  s.block_s = eval.named("block", s.steps * cost.step_s + cost.store_s, "s");
  const bool is_limited = r.at_full_clock < 1;
  s.full_clock_s = !is_limited ? s.block_s
                               : eval.named("block at the full clock",
                                            s.steps * cost.full_clock_s + cost.store_s, "s");
  const Number longest = eval.factor("steps of the longest phase, to the mean", product.longest);
  const Number chain_s =
      eval.named("block alone", s.steps * longest * cost.serial_s + r.block_latency_s, "s");

  const Number slots = r.sm_count * resident;
  // With persistent blocks the last tile's chain shows even in a full wave.
  s.full_waves = eval.named(
      "full waves", product.persistent ? divide_up(s.blocks, slots) - 1 : floor(s.blocks / slots));
  const Number rest = s.full_waves > 0 ? s.blocks - s.full_waves * slots : s.blocks;
  s.last_blocks = eval.named("blocks an SM in the last wave", divide_up(rest, r.sm_count));
  if (s.full_waves > 0)
    s.full_wave_s = eval.named(
        "full wave",
        product.persistent ? resident * s.full_clock_s : max({resident * s.full_clock_s, chain_s}),
        "s");
  if (s.last_blocks > 0)
    s.last_wave_s = eval.named("last wave", max({s.last_blocks * s.full_clock_s, chain_s}), "s");
  s.waves_s = s.full_waves * s.full_wave_s + s.last_wave_s;
  // The power limit is one on all SMs: those without a block leave their power to others.
  if (is_limited)
    s.waves_s = eval.named("waves", max({s.waves_s, s.blocks / r.sm_count * s.block_s}), "s");
  if (split > 1 || product.converts) {
    s.partial_byte = eval.named("split-K sums",
                                4 * Number(product.m) * product.n * product.count * split, "byte");
    Number second_per_byte = r.second_per_sum_byte;
    if (product.converts) {
      const Number in_l2 = eval.named(
          "share of the sums in L2",
          clamp((r.l2_lost_byte - s.partial_byte) / (r.l2_lost_byte - r.l2_kept_byte), 0, 1));
      second_per_byte = in_l2 * second_per_byte + (1 - in_l2) * r.second_per_dram_byte;
    }
    s.partial_s = eval.named("split-K sums through L2", 2 * s.partial_byte * second_per_byte, "s");
    s.reduce_s = eval.named("the kernel that adds them", r.reduce_s, "s");
  }
  s.kernel_s = eval.named("product", s.waves_s + s.partial_s + s.reduce_s, "s");
  // Rows of tiles which do not run side by side fetch columns again.
  const Number fetches = max({1, min({cost.rows, s.blocks / slots})});
  s.again_s = eval.summand("columns, fetched again, beyond that",
                           max({0, (fetches - 1) * r.columns_s - s.kernel_s}), "s");
  s.kernel_s = s.kernel_s + s.again_s;
  return s;
}

/// A block's tile and split of k: stated by the user, or the library's fastest.
struct TileMapping {
  TileKernel tile{};
  double split = 1;  ///< of k, over blocks
  Occupancy occupancy{};
  std::uint64_t shared_byte = 0;  ///< of a block
  bool stated = false;
  double blocks = 0;                                        ///< of a searched one
  double time_s = std::numeric_limits<double>::infinity();  ///< of the product
};

template <class Number>
struct GemmTime {
  TileCost<Number> cost;
  Schedule<Number> schedule;
  Number useful_share = 1;  ///< of the issued arithmetic
};

/// Resident blocks in the schedule: one if none fits.
inline double resident_blocks(const TileMapping& mapping) {
  return std::max(1.0, static_cast<double>(mapping.occupancy.blocks));
}

/// Blocks, to as many as fit into the waves.
template <class Number>
double wave_utilization(const GemmTime<Number>& gemm, const TileMapping& mapping, double sm_count) {
  const Schedule<Number>& s = gemm.schedule;
  return value_of(s.blocks) /
         (sm_count * (value_of(s.full_waves) * resident_blocks(mapping) + value_of(s.last_blocks)));
}

template <class Number>
GemmTime<Number> gemm_time(const TileProduct& product, const ProductRates<Number>& r,
                           const TileMapping& mapping, Eval<Number>& eval) {
  const TileKernel& tile = mapping.tile;
  eval.named("m", product.m, "", product.m_is);
  eval.named("n", product.n, "", product.n_is);
  eval.named("k", product.k, "", product.k_is);
  eval.factor("products", product.count, "", "of one shape");
  eval.factor("runs of n", product.n_runs, "", "taps, each in whole tiles");
  eval.factor("runs of k", product.k_runs, "", "taps, each in whole steps");
  eval.factor("share of m's operands that differ", product.patch_share, "",
              "one patch, all its taps");
  const char* chosen = mapping.stated ? "stated" : "the fastest that the library has";
  eval.named("tile m", tile.m, "", chosen);
  eval.named("tile n", tile.n, "", chosen);
  eval.named("tile k", tile.k, "", chosen);
  eval.factor("split-K", mapping.split, "", chosen);
  const double resident = resident_blocks(mapping);
  eval.named("resident blocks an SM", resident, "", "limited by ",
             name_of(mapping.occupancy.limit));
  GemmTime<Number> time;
  time.cost = tile_cost(product, r, tile, eval);
  const auto& s = time.schedule = schedule(product, r, time.cost, mapping.split, resident, eval);

  const Number asked = Number(product.m) * product.n * product.k * product.count;
  const Number issued = s.blocks * tile.m * tile.n * s.steps * tile.k;
  const Number counted =
      product.useful_flop > 0 ? min({1, product.useful_flop / (2 * asked)}) : Number(1);
  time.useful_share =
      eval.named("useful share of the arithmetic", min({1, asked / issued}) * counted);
  return time;
}

/// Parts of the product's time: all blocks spread evenly, plus idle SMs in the last wave, and the
/// excess of a block's chain of steps over a wave's work, which more resident blocks would hide
/// except in the last wave. `flop_s`: the layer's own FLOP at the engine's practical rate.
template <class Number>
void add_product(TimeParts<Number>& parts, const GemmTime<Number>& gemm, const Number& sm_count,
                 double resident, const Number& flop_s, Eval<Number>& eval) {
  const TileCost<Number>& cost = gemm.cost;
  const Schedule<Number>& s = gemm.schedule;
  const Number steps = eval.named("steps an SM, spread evenly", s.blocks * s.steps / sm_count);
  const Number math_s = eval.named("arithmetic, spread evenly", steps * cost.math_s, "s");
  add_issue(parts, math_s, gemm.useful_share, flop_s, eval);
  const Number& fed_s = cost.l2_s > cost.math_s ? cost.l2_s : cost.math_s;
  parts.add(Limiter::instructions, steps * (cost.step_s - fed_s));
  parts.add(Limiter::l2, steps * (fed_s - cost.math_s));
  parts.add(Limiter::l2, s.blocks / sm_count * cost.store_s);

  const Number spread_s = s.blocks / sm_count * s.block_s;
  const Number idle_s = eval.summand("idle SMs", s.waves_s - spread_s, "s");
  const Number slots_s = (s.full_waves * resident + s.last_blocks) * s.full_clock_s;
  const Number last_wave_s =
      eval.summand("idle SMs in the last wave", max({0, min({idle_s, slots_s - spread_s})}), "s");
  parts.add(Limiter::last_wave, last_wave_s);
  const Number waited_for = s.last_blocks == 0 ? s.full_waves - 1 : s.full_waves;
  const Number occupancy_s = eval.summand(
      "idle SMs, for few resident blocks",
      min({idle_s - last_wave_s, waited_for * (s.full_wave_s - resident * s.full_clock_s)}), "s");
  parts.add(Limiter::occupancy, occupancy_s);
  parts.add(Limiter::latency, idle_s - last_wave_s - occupancy_s);
  parts.add(Limiter::l2, s.partial_s);
  parts.add(Limiter::dram, s.again_s);
  parts.add(Limiter::launch, s.reduce_s);
}

/// The stated mapping. Defaults: threads for 64 results each (tensor cores: 128), 32 to 512;
/// registers for those results, twice for 64 bits, plus 40; two stages; shared memory stages * (m +
/// n) * k * bytes, for a direct convolution that of its weights and the patch under m outputs.
/// Throws InputError if no SM of the GPU can run it.
TileMapping stated_mapping(const KernelMapping& mapping, const TileProduct& product,
                           const ResolvedModel& model, bool tensor);

std::span<const TileKernel> library_tiles(const ModelConstants& constants, Engine engine,
                                          const LayerProduct& x);

/// Tiles of kernels for any window; empty if they are not told from the newest.
std::span<const TileKernel> older_tiles(const ModelConstants& constants, Engine engine,
                                        const LayerProduct& x);

/// Less than the product takes on any tile: all SMs busy all the time, with no loads on top.
double least_product_s(const TileProduct& product, const ProductRates<double>& rates);

/// With an infinite time if no tile takes less than `limit_s`.
TileMapping fastest_mapping(const TileProduct& product, const ProductRates<double>& rates,
                            std::span<const TileKernel> tiles, const SmLimits& sm, double limit_s);

/// The peak at which a large product on the library's best tile runs at `rate_flop_per_s`.
double peak_for_rate(const ResolvedModel& model, const EngineModel& engine, double rate_flop_per_s);

}  // namespace roofline
