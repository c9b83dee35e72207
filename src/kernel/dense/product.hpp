#pragma once

// The matrix product that a kernel of a dense contraction runs, and the rates that it runs at.

#include "kernel/dense/contraction.hpp"
#include "kernel/machine/memory_traffic.hpp"
#include "kernel/machine/rates.hpp"

namespace roofline {

/// Whose kernels run a product: each reaches a share of its own of what the engine sustains.
enum class ProductKernels : std::uint8_t {
  convolution,
  dilated,       ///< of a window whose taps lie far apart
  gemm_library,  ///< products without a window
  fused_winograd,
  transformed_points,  ///< the GEMM library's batched ones
};

/// Sizes as doubles: they only enter times.
struct Product {
  double m = 1, n = 1, k = 1;
  const char* m_is = "";  ///< in words
  const char* n_is = "";
  const char* k_is = "";
  double count = 1;   ///< products of this shape
  double k_runs = 1;  ///< k is this many runs, each rounded up to whole steps
  double element_byte = 4;
  double result_byte = 4;
  double flop_ratio = 1;   ///< of what is done to what is counted: complex products
  double load_ratio = 1;   ///< of operands loaded for a multiply-add: half in complex products
  double useful_flop = 0;  ///< the layer's own; 0: all of m, n and k are
  ProductKernels kernels = ProductKernels::convolution;
  Pass role = Pass::fwd;
  bool follows_window = false;   ///< addresses do
  double gather_vector = 0;      ///< elements that one load of the gathered operand brings; 0: none
  bool first_layer = false;      ///< in the kernel that the library has for it
  double row_byte = 16;          ///< that all rows are multiples of
  bool scattered = false;        ///< results are added by atomics
  bool shares_operands = false;  ///< threads read a stated tile's operands from shared memory
  double patch_share = 1;        ///< of the m side, what is loaded: a patch serves all its taps
  bool may_split = true;         ///< along k
  bool persistent = false;  ///< blocks take tile after tile: a chain's ends hide in the next tile
  double most_split_blocks = 1e9;  ///< no split makes more blocks than this
  double most_splits = 1e9;        ///< parts of k
  bool converts = false;  ///< the result is summed in fp32 in memory and converted by a kernel
};

/// The contraction as one product.
Product product_of(const Contraction& x, const ResolvedModel& model, const EngineModel& engine);

/// Of the operands that `outputs` neighbouring outputs multiply, the share that differ: the patch
/// under a square of outputs serves all taps.
double patch_share(const Contraction& x, double outputs);

/// What one SM takes, and a block whatever its size.
template <class Number>
struct ProductRates {
  Number sm_count{};
  Number second_per_flop{};
  Number second_per_l2_byte{};
  Number second_per_gather{};       ///< 0: vector loads
  Number second_per_scatter{};      ///< 0: plain stores
  Number second_per_stored_byte{};  ///< the longer of its way to L2 and of a block's stores
  Number second_per_shared_byte{};  ///< 0: a tile's loads are in operand_element
  Number operand_element{};
  Number step_latency_s{};
  Number block_latency_s{};
  Number schedulers{};  ///< warps that an SM needs for its full rate
  Number warp_size{};
  Number second_per_dram_byte{};              ///< of sums that are converted
  double l2_kept_byte = 0, l2_lost_byte = 0;  ///< where these begin, and all have, left the L2
  Number reduce_s{};  ///< the second kernel, which adds what splits of k made
};

template <class Trace>
NumberOf<Trace> kernel_share(ProductKernels kernels, const DenseConstants& c, Trace& trace) {
  switch (kernels) {
    case ProductKernels::convolution: return 1;
    case ProductKernels::dilated: return trace(c.dilated_share);
    case ProductKernels::gemm_library: return trace(c.library_share);
    case ProductKernels::fused_winograd: return trace(c.winograd_share);
    case ProductKernels::transformed_points: return trace(c.batched_share) * trace(c.library_share);
  }
  return 1;
}

/// What tensor cores do with rows that the bulk copies behind the newest instructions cannot take:
/// those are whole 16 byte (CUDA C++ Programming Guide, "Tensor Memory Accelerator"). Copies past
/// the registers take 4 and 8 ("Asynchronous data copies"); rows of 2 byte go through them.
template <class Trace>
NumberOf<Trace> unaligned_flop_per_s(const Product& p, const DenseConstants& c,
                                     const MachineRates<NumberOf<Trace>>& machine, Trace& trace) {
  const double& rate =
      p.row_byte < 4 ? c.odd_row_flop_per_clk_per_sm : c.short_row_flop_per_clk_per_sm;
  return trace.named("FLOP a second on rows of no whole 16 byte",
                     trace(rate) * (2 / p.element_byte) * machine.sm_count * machine.clock_hz,
                     "FLOP/s");
}

template <class Trace>
ProductRates<NumberOf<Trace>> product_rates(const Product& p, const ResolvedModel& model,
                                            const EngineModel& engine,
                                            const MachineRates<NumberOf<Trace>>& machine,
                                            Trace& trace) {
  using Number = NumberOf<Trace>;
  const DenseConstants& c = *engine.constants;
  const MemorySystem& memory = model.memory;
  const Number clock = machine.clock_hz;
  ProductRates<Number> r;
  r.sm_count = machine.sm_count;
  const Number peak = engine.peak_flop_per_s;
  const Number math_share = trace.sourced(engine.math_share, engine.math_origin);
  const Number role_share = p.role == Pass::dgrad   ? trace(c.dgrad_share)
                            : p.role == Pass::wgrad ? trace(c.wgrad_share)
                                                    : Number(1);
  Number flop_per_s = peak * math_share * role_share * kernel_share(p.kernels, c, trace);
  if (p.row_byte < 16) flop_per_s = min({flop_per_s, unaligned_flop_per_s(p, c, machine, trace)});
  r.second_per_flop =
      trace.named("time of a FLOP on an SM", r.sm_count * p.flop_ratio / flop_per_s, "s");
  r.second_per_l2_byte = trace.named(
      "time of a byte from L2 on an SM",
      1 / (trace.sourced(memory.l2_operand_byte_per_clock_per_sm, memory.l2_operand_origin) *
           clock),
      "s");
  if (p.gather_vector > 0)
    r.second_per_gather = 1 / (trace(c.gather_per_clk_per_sm) * p.gather_vector * clock *
                               (p.first_layer ? trace(c.first_layer_gather) : Number(1)) *
                               (p.role == Pass::wgrad ? trace(c.wgrad_gather) : Number(1)));
  const bool stores_slowly = c.store_byte_per_clk_per_sm < memory.l2_operand_byte_per_clock_per_sm;
  r.second_per_stored_byte =
      stores_slowly ? 1 / (trace(c.store_byte_per_clk_per_sm) * clock) : r.second_per_l2_byte;
  if (p.scattered) r.second_per_scatter = 1 / (trace(c.scatter_per_clk_per_sm) * clock);
  // 32 banks of 4 byte a clock (CUDA C++ Programming Guide, "Shared Memory"); AMD's and Intel's
  // local memories are as wide.
  if (p.shares_operands)
    r.second_per_shared_byte = 1 / (trace.sourced(32 * 4, "32 banks of 4 byte a clock") * clock);
  r.operand_element =
      p.load_ratio * trace(c.operand_element) *
      trace.factor("share of operand loads, beside arithmetic at half rate", engine.load_share);
  r.step_latency_s =
      trace(p.follows_window ? c.window_step_latency_clk : c.step_latency_clk) / clock;
  r.block_latency_s =
      (trace(c.block_latency_clk) + (p.follows_window ? trace(c.window_latency_clk) : Number{})) /
      clock;
  if (p.converts) r.second_per_dram_byte = 1 / dram_byte_per_s(memory, trace);
  r.l2_kept_byte = memory.l2_kept_byte;
  r.l2_lost_byte = memory.l2_lost_byte;
  r.schedulers = model.machine.sm.schedulers;
  r.warp_size = model.machine.sm.warp_size;
  r.reduce_s = trace.sourced(memory.launch_s, memory.launch_origin) +
               trace(p.follows_window ? c.window_reduce_s : c.extra_kernel_s);
  return r;
}

}  // namespace roofline
