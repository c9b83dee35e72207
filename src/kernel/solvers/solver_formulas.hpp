#pragma once

// The time of a convolution on one of a library's solvers.
//
// All compute matrix products, M x K by K x N, one block per tile. A block's steps take the longer
// of their arithmetic and a step's latency, and blocks run in waves of an SM's resident blocks.
// Traffic to and from device memory overlaps. A naive kernel's block is a wave of 64 threads with
// one output each. Blocks which share a tile's k need another launch, which adds their sums.
//
// Example, MI100 fp32, ConvMlirIgemmFwdXdlops, M = 6272, N = 256, K = 2304, tile 128 x 64 x 16: 49
// * 4 = 196 blocks of 144 steps on 120 compute units, two resident on each.

#include "kernel/dense/layer_product.hpp"
#include "kernel/plans.hpp"
#include "kernel/solvers/solver.hpp"

namespace roofline {

/// A solver's products: `count` at once, `times` one after the other.
struct SolverProduct {
  double m = 1;
  double n = 1;
  double k = 1;
  double count = 1;
  double times = 1;
};

struct SolverTile {
  TileKernel kernel{};
  double split = 1;

  /// Registers for eight waves of 64 threads are what an SM has: two blocks of 256.
  double resident() const { return 512.0 / kernel.threads; }
};

template <class Number>
struct SolverKernel {
  Number blocks{};
  Number useful_share = 1;  ///< of the arithmetic in whole tiles
  Number spread_s{};        ///< arithmetic of all blocks, spread evenly over all SMs
  Number waves_s{};         ///< in whole waves
  Number chained_s{};       ///< with no block shorter than its chain
  Number partial_s{};       ///< sums of splits, and the launch of the kernel which adds them
};

template <class Number>
struct SolverFormulas {
  const SolverConstants& constants;
  const MemorySystem& memory;
  MachineRates<Number> machine;
  Number flop_per_s;
  Eval<Number>& eval;

  Number blocks(const SolverProduct& product, const SolverTile& tile) const {
    return eval.named("blocks", divide_up(Number(product.m), Number(tile.kernel.m)) *
                                    divide_up(Number(product.n), Number(tile.kernel.n)) *
                                    product.count * tile.split);
  }

  SolverKernel<Number> kernel(const SolverProduct& product, const SolverTile& tile) const {
    const Number m = tile.kernel.m;
    const Number n = tile.kernel.n;
    const Number k = tile.kernel.k;
    const Number& sms = machine.sm_count;
    SolverKernel<Number> s;
    s.blocks = blocks(product, tile);
    const Number all_steps = divide_up(Number(product.k), k);
    const Number steps = eval.named("steps of a block",
                                    tile.split == 1 ? all_steps : divide_up(all_steps, tile.split));
    const Number block_flop = eval.named("FLOP of a block", 2 * m * n * k * steps, "FLOP");
    s.useful_share = eval.named("useful share of the arithmetic",
                                min({1, 2 * Number(product.m) * product.n * product.k *
                                            product.count / (s.blocks * block_flop)}));
    const Number overhead =
        eval.named("operand loads on top", 1 + eval(constants.operand_element) * (1 / m + 1 / n));
    const Number block_s = eval.named("block", block_flop * overhead * sms / flop_per_s, "s");
    const Number chain_s =
        eval.named("block alone",
                   (steps * eval(constants.step_latency_clk) + eval(constants.block_latency_clk)) /
                       machine.clock_hz,
                   "s");
    const Number resident = eval.named("resident blocks", tile.resident());
    const Number full_waves = eval.named("full waves", floor(s.blocks / (resident * sms)));
    const Number last_blocks = eval.named("blocks an SM in the last wave",
                                          divide_up(s.blocks - full_waves * resident * sms, sms));
    s.spread_s = eval.named("arithmetic, spread evenly", s.blocks / sms * block_s, "s");
    s.waves_s =
        eval.named("arithmetic, in waves", (resident * full_waves + last_blocks) * block_s, "s");
    const Number last_s = last_blocks > 0 ? max({last_blocks * block_s, chain_s}) : Number{};
    s.chained_s =
        eval.named("product", full_waves * max({resident * block_s, chain_s}) + last_s, "s");
    if (tile.split > 1) {
      const Number byte = 8 * Number(product.m) * product.n * product.count * tile.split;
      s.partial_s = eval.named("split-K sums, there and back",
                               launch_s() + byte / l2_byte_per_s(memory, machine, eval), "s");
    }
    return s;
  }

  Number launch_s() const { return eval.sourced(memory.launch_s, memory.launch_origin); }

  /// All bytes pass the L2.
  Number moving_s(const char* what, const Streams& streams, CacheState cache) const {
    const auto traffic = memory_traffic(streams, Number{}, memory, cache, eval);
    const Number l2_s =
        (Number(streams.read_byte) + streams.write_byte) / l2_byte_per_s(memory, machine, eval);
    const Number dram_s = traffic.timed_dram_byte / dram_byte_per_s(memory, eval);
    return eval.named(what, max({dram_s, l2_s}) / eval(constants.memory_share), "s");
  }

  Number start_s(const char* what, const double& more_s) const {
    return eval.named(what, launch_s() + eval(more_s), "s");
  }
};

}  // namespace roofline
