#pragma once

// Kernels of a dense contraction and their time: a tiled product with the kernels around it, or a
// product with a vector.

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "kernel/dense/transforms.hpp"
#include "kernel/plans.hpp"

namespace roofline {

/// Types of 32 bits and more without tiles: five and six rows of 4,096^2 take an H100 as long
/// as four, eight a third longer.
inline constexpr double most_vectors = 6;

struct DenseContext {
  const Layer& layer;
  const ResolvedModel& model;
  const EngineModel& engine;
  LayerProduct x;
  TileProduct product = tile_product(x, model, engine);  ///< on the newest kernels
  /// Tiles of kernels for any window; empty if they are not told from the newest.
  std::span<const TileKernel> older = older_tiles(*model.constants, engine.engine, x);
};

struct DenseChoice {
  Algorithm algorithm = Algorithm::gemm;
  TileProduct product;
  std::span<const TileKernel> tiles;  ///< of the library, for a product of its own matrices
  TileMapping mapping;                ///< of the product
  std::optional<Transform> transform;
  bool clears = false;  ///< zeros are written first
  /// Both operands are first rounded to TF32, by a kernel each.
  bool rounds_operands = false;

  bool tiled() const { return algorithm != Algorithm::gemv; }
  bool staged() const { return transform && !transform->fused(); }
  bool weights_first() const { return transform && transform->weights_first; }
  double kernels() const {
    if (staged()) return transform->kernels();
    return (mapping.split > 1 || product.converts ? 2 : 1) + (clears || weights_first() ? 1 : 0) +
           (rounds_operands ? 2 : 0);
  }
};

template <class Number>
DenseRates<Number> dense_rates(const ResolvedModel& model, Eval<Number>& eval) {
  const auto machine = machine_rates(model.machine, eval);
  const auto l2_byte = eval(model.memory.constants->l2_operand_byte_per_clock_per_sm);
  return {machine, dram_byte_per_s(model.memory, eval),
          l2_byte * machine.sm_count * machine.clock_hz};
}

/// In place of a product: every weight is used once, in threads with a few sums each, in the time
/// of its bytes from L2.
template <class Number>
AroundProduct<Number> vector_kernel(const DenseContext& context, const DenseRates<Number>& rates,
                                    Eval<Number>& eval) {
  const MemorySystem& memory = context.model.memory;
  const DenseConstants& constants = *context.engine.constants;
  const LayerProduct& x = context.x;
  const Number passes =
      eval.factor("passes, of six vectors each", std::ceil(std::min(x.m, x.n) / most_vectors));
  const Number l2_s = eval.named(
      "operands through L2",
      passes * (x.read_byte + Number(x.write_byte)) / l2_byte_per_s(memory, rates.machine, eval),
      "s");
  // Across rows, as in a gradient, or for few results, threads combine sums: two more accesses.
  const Number sums_s = 2 * eval(memory.constants->dram_latency_s);
  const Number start_s =
      eval.named("start of a block",
                 eval(constants.block_latency_clk) / rates.machine.clock_hz +
                     (x.n <= most_vectors || x.role == Pass::dgrad ? sums_s : Number{}),
                 "s");
  AroundProduct<Number> around;
  around.hides_product = true;
  around.parts = {{{Limiter::l2, l2_s}, {Limiter::latency, start_s}}};
  // A GPU of few units in fp64 computes for longer.
  const double flop_s = x.useful_flop / context.engine.peak_flop_per_s;
  if (flop_s > value_of(l2_s)) {
    const Number math_s = eval.named("FLOP at the peak", flop_s, "s", "counted") - l2_s;
    around.parts[2] = {Limiter::math, math_s};
  }
  around.kernels_s = eval.named("kernels", l2_s + start_s + around.parts[2].time_s, "s");
  return around;
}

/// `product_s`: of the choice's product, if it has one. The longer it is, the longer the kernels.
template <class Number>
AroundProduct<Number> around_product(const DenseContext& context, const DenseChoice& choice,
                                     const DenseRates<Number>& rates, const Number& product_s,
                                     Eval<Number>& eval) {
  const MemorySystem& memory = context.model.memory;
  const DenseConstants& constants = *context.engine.constants;
  const LayerProduct& x = context.x;
  if (!choice.tiled()) return vector_kernel(context, rates, eval);
  const TransformConstants& transforms = context.model.constants->values.transforms;
  if (choice.staged())
    return staging(x, *choice.transform, memory, transforms, constants.extra_kernel_s, rates,
                   product_s, eval);
  if (choice.weights_first())
    return fused_weights(*x.problem, *choice.transform, memory, transforms, rates, product_s, eval);
  AroundProduct<Number> around;
  Number clear_s{}, clear_launch_s{};
  if (choice.clears) {
    // Beyond L2, zeros are written to memory; those of sums are read from there again.
    const bool far = choice.product.scattered && x.write_byte > memory.l2_kept_byte;
    clear_s = eval.named(
        "writing zeros",
        far ? 2 * x.write_byte / rates.dram_byte_per_s : x.write_byte / rates.l2_byte_per_s, "s");
    clear_launch_s = eval.named("launch of the kernel that writes zeros",
                                eval.sourced(memory.launch_s, memory.launch_origin) +
                                    context.engine.start_share * eval(constants.library_start_s),
                                "s");
    around.parts = {{{Limiter::l2, clear_s}, {Limiter::launch, clear_launch_s}}};
  }
  Number round_s{}, round_launch_s{};
  if (choice.rounds_operands) {
    round_s =
        eval.named("rounding of operands to TF32", 2 * x.read_byte / rates.dram_byte_per_s, "s");
    round_launch_s = eval.named(
        "launches of the kernels that round",
        2 * (eval.sourced(memory.launch_s, memory.launch_origin) + eval(constants.copy_start_s)),
        "s");
    around.parts[2] = {Limiter::dram, round_s};
    around.parts[3] = {Limiter::launch, round_launch_s};
  }
  around.kernels_s =
      eval.named("kernels", product_s + clear_launch_s + clear_s + round_s + round_launch_s, "s");
  return around;
}

}  // namespace roofline
