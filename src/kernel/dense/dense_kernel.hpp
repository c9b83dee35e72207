#pragma once

// The kernels that run a dense contraction, without the first launch and without DRAM: which
// algorithm, on which tile, and their time.

#include <optional>

#include "kernel/dense/gemm_formulas.hpp"
#include "kernel/dense/transforms.hpp"

namespace roofline {

struct DenseContext {
  const Layer& layer;
  const ResolvedModel& model;
  const EngineModel& engine;
  Contraction x;
};

/// A stated algorithm that the layer does not allow.
struct UnsuitedAlgorithm {
  Algorithm algorithm;
};

/// One way to run the contraction.
struct DenseChoice {
  Algorithm algorithm = Algorithm::gemm;
  Product product;
  TileMapping mapping;                 ///< of the product; a product with a vector has no tiles
  std::optional<Transform> transform;  ///< around the product
  bool clears = false;                 ///< zeros are written first

  bool tiled() const { return algorithm != Algorithm::gemv; }
  bool staged() const { return transform && !transform->fused(); }
  bool weights_first() const { return transform && transform->weights_first; }
  double kernels() const {
    if (staged()) return transform->kernels();
    return (mapping.split > 1 || product.converts ? 2 : 1) + (clears || weights_first() ? 1 : 0);
  }
};

/// The mapping or algorithm that the layer states, else the library's fastest. Throws
/// ImpossibleMapping or UnsuitedAlgorithm.
DenseChoice choose_dense_kernel(const DenseContext& context);

/// The rates that dense formulas start from.
template <class Number>
struct DenseRates {
  MachineRates<Number> machine;
  Number dram_byte_per_s{};
};

template <class Trace>
DenseRates<NumberOf<Trace>> dense_rates(const ResolvedModel& model, Trace& trace) {
  const auto machine = machine_rates(model.machine, trace);
  return {machine, dram_byte_per_s(model.memory, trace)};
}

template <class Number>
struct DenseKernel {
  GemmTime<Number> gemm;         ///< where it is tiled
  Staging<Number> staging;       ///< where tiles are transformed
  FusedWeights<Number> weights;  ///< where a fused kernel transforms them
  Number vector_l2_s{};          ///< where it is not tiled: operands and result from L2
  Number vector_start_s{};
  Number clear_s{};  ///< writing zeros where results are added up or not written
  Number clear_launch_s{};
  Number kernel_s{};  ///< all its kernels
};

template <class Trace>
DenseKernel<NumberOf<Trace>> dense_kernel(const DenseContext& context, const DenseChoice& choice,
                                          const DenseRates<NumberOf<Trace>>& rates, Trace& trace) {
  using Number = NumberOf<Trace>;
  const MemorySystem& memory = context.model.memory;
  const DenseConstants& c = *context.engine.constants;
  const Contraction& x = context.x;
  DenseKernel<Number> kernel;
  const auto l2_byte_per_s = [&] {
    return trace.sourced(memory.l2_operand_byte_per_clock_per_sm, memory.l2_operand_origin) *
           rates.machine.sm_count * rates.machine.clock_hz;
  };
  if (!choice.tiled()) {
    // Every weight is used once, so the kernel streams the matrix through threads that each hold a
    // few sums: no tiles, the time of its bytes from L2.
    kernel.vector_l2_s = trace.named("operands through L2",
                                     (x.read_byte + Number(x.write_byte)) / l2_byte_per_s(), "s");
    kernel.vector_start_s =
        trace.named("start of a block", trace(c.block_latency_clk) / rates.machine.clock_hz, "s");
    kernel.kernel_s = trace.named("kernels", kernel.vector_l2_s + kernel.vector_start_s, "s");
    return kernel;
  }
  const auto product_rate =
      product_rates(choice.product, context.model, context.engine, rates.machine, trace);
  kernel.gemm = gemm_time(choice.product, product_rate, choice.mapping, trace);
  const Number& product_s = kernel.gemm.schedule.kernel_s;
  if (choice.staged() || choice.weights_first()) {
    const TransformRates<Number> transform_rates{
        trace.named("clocks of all SMs, by what they issue", rates.machine.issue_clock_per_s,
                    "clock/s"),
        rates.dram_byte_per_s, l2_byte_per_s()};
    if (choice.staged()) {
      const Staging<Number>& s = kernel.staging =
          staging(x, *choice.transform, memory, c, transform_rates, trace);
      kernel.kernel_s = trace.named(
          "kernels",
          max({product_s, s.product_memory_s}) + s.transform_s + s.image_s + s.further_launch_s,
          "s");
    } else {
      const FusedWeights<Number>& w = kernel.weights =
          fused_weights(x, *choice.transform, memory, c, transform_rates, trace);
      kernel.kernel_s = trace.named("kernels", product_s + w.transform_s + w.launch_s, "s");
    }
    return kernel;
  }
  if (choice.clears) {
    kernel.clear_s = trace.named("writing zeros", x.write_byte / l2_byte_per_s(), "s");
    kernel.clear_launch_s = trace.named("launch of the kernel that writes zeros",
                                        trace.sourced(memory.launch_s, memory.launch_origin) +
                                            context.engine.start_share * trace(c.library_start_s),
                                        "s");
  }
  kernel.kernel_s = trace.named("kernels", product_s + kernel.clear_launch_s + kernel.clear_s, "s");
  return kernel;
}

/// What the kernels' time goes to. `flop_s`: the layer's own FLOP at the engine's practical rate.
template <class Trace>
void add_kernels(TimeParts<NumberOf<Trace>>& parts, const DenseChoice& choice,
                 const DenseKernel<NumberOf<Trace>>& kernel,
                 const DenseRates<NumberOf<Trace>>& rates, const NumberOf<Trace>& flop_s,
                 Trace& trace) {
  const auto& staging = kernel.staging;
  const Limiter workspace = staging.in_l2 ? Limiter::l2 : Limiter::dram;
  if (!choice.tiled()) {
    parts.add(Limiter::l2, kernel.vector_l2_s);
    parts.add(Limiter::latency, kernel.vector_start_s);
  } else if (staging.product_memory_s > kernel.gemm.schedule.kernel_s) {
    parts.add(workspace, staging.product_memory_s);
  } else {
    add_product(parts, kernel.gemm, rates.machine.sm_count, resident_blocks(choice.mapping), flop_s,
                trace);
  }
  parts.add(Limiter::l2, kernel.clear_s);
  parts.add(Limiter::launch, kernel.clear_launch_s);
  parts.add(workspace, staging.transform_s);
  parts.add(Limiter::dram, staging.image_s);
  parts.add(Limiter::launch, staging.further_launch_s);
  parts.add(Limiter::dram, kernel.weights.transform_s);
  parts.add(Limiter::launch, kernel.weights.launch_s);
}

}  // namespace roofline
