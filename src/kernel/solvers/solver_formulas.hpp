#pragma once

// The rates of a convolution on one of a library's solvers.
//
// All compute matrix products, M x K by K x N, tile by tile (gemm.hpp). A step takes the longer of
// its arithmetic, which holds its operands' loads, and a latency. Traffic to and from device memory
// overlaps. A naive kernel's block is a wave of 64 threads with one output each.
//
// Example, MI100 fp32, ConvMlirIgemmFwdXdlops, M = 6272, N = 256, K = 2304, tile 128 x 64 x 16: 49
// * 4 = 196 blocks of 144 steps on 120 compute units, two resident on each.

#include <algorithm>
#include <cstdint>

#include "kernel/dense/gemm.hpp"
#include "kernel/plans.hpp"
#include "kernel/solvers/solver.hpp"

namespace roofline {

/// A solver's products: `count` at once, `times` one after the other.
struct SolverProduct : TileProduct {
  SolverProduct(double rows, double columns, double depth, double products) {
    m = rows;
    n = columns;
    k = depth;
    count = products;
    m_is = n_is = k_is = "product";
  }

  double times = 1;
};

/// Registers for eight waves of 64 threads are what an SM has: two blocks of 256.
inline Occupancy solver_occupancy(const TileKernel& tile, const SmLimits& sm) {
  Occupancy held;
  held.limit = OccupancyLimit::registers;
  held.blocks = std::max(1U, 512 / tile.threads);
  held.share = std::min(1.0, static_cast<double>(held.blocks) * tile.threads /
                                 (static_cast<double>(sm.max_warps) * sm.warp_size));
  return held;
}

template <class Number>
struct SolverFormulas {
  const SolverConstants& constants;
  const ResolvedModel& model;
  MachineRates<Number> machine;
  Number flop_per_s;
  Number l2_byte_per_s;
  Eval<Number>& eval;

  /// Rates of its tiles. Operands and results are in the time of the arithmetic.
  ProductRates<Number> product_rates() const {
    ProductRates<Number> r;
    r.sm_count = machine.sm_count;
    r.warp_size = model.machine.sm.warp_size;
    r.second_per_flop = eval.named("time of a FLOP on an SM", r.sm_count / flop_per_s, "s");
    r.operand_element = eval(constants.operand_element);
    r.step_latency_s = eval(constants.step_latency_clk) / machine.clock_hz;
    r.block_latency_s = eval(constants.block_latency_clk) / machine.clock_hz;
    r.second_per_sum_byte = 1 / l2_byte_per_s;
    r.reduce_s = eval.sourced(model.memory.launch_s, model.memory.launch_origin);
    return r;
  }

  /// A kernel that moves these bytes through the L2 while its blocks compute.
  KernelWork<Number> moving(const Streams& streams) const {
    KernelWork<Number> work;
    work.streams = streams;
    work.moves = 1 / eval(constants.memory_share);
    work.passes_l2 = false;
    work.fetch_byte = Number(streams.read_byte) + streams.write_byte;
    work.fetch_byte_per_s = l2_byte_per_s * eval(constants.memory_share);
    work.timed.emplace();
    return work;
  }
};

}  // namespace roofline
