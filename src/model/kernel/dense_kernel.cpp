#include "model/kernel/dense_kernel.hpp"

#include <algorithm>

#include "model/kernel/given_mapping.hpp"

namespace roofline {
namespace {

GemmTime gemm_of(const DenseContext& context, const Contraction& x) {
  const Machine& machine = context.model.machine;
  const Engine engine = context.engine.engine;
  const GemmWork work = gemm_work(x, machine, context.engine);
  if (context.layer.mapping.tile)
    return given_gemm(context.layer.mapping, machine.sm, work, is_tensor_engine(engine));
  return best_gemm(work, library_tiles(machine, engine, x), machine.sm);
}

DenseKernel product(const DenseContext& context, const Contraction& x, Algorithm algorithm) {
  DenseKernel kernel;
  kernel.algorithm = algorithm;
  kernel.gemm = gemm_of(context, x);
  kernel.kernels = kernel.gemm.split > 1 ? 2 : 1;
  if (x.leaves_zeros) {
    kernel.clear_launch_s = context.constants().library_launch_s;
    kernel.clear_s = x.write_byte / context.l2_byte_per_s();
    kernel.kernels += 1;
  }
  kernel.kernel_s = kernel.gemm.schedule.kernel_s + kernel.clear_launch_s + kernel.clear_s;
  kernel.product_share = std::min(1.0, x.useful_flop / (2 * x.m * x.n * x.issued_k * x.count));
  return kernel;
}

DenseKernel vector_product(const DenseContext& context) {
  DenseKernel kernel;
  VectorProduct& vector = kernel.vector;
  kernel.algorithm = Algorithm::gemv;
  kernel.tiled = false;
  vector.byte = context.x.read_byte + context.x.write_byte;
  vector.l2_s = vector.byte / context.l2_byte_per_s();
  vector.start_s = context.constants().block_latency_clk / context.model.machine.clock_hz;
  kernel.kernel_s = vector.l2_s + vector.start_s;
  return kernel;
}

DenseKernel transformed(const TransformedTime& time) {
  DenseKernel kernel;
  kernel.algorithm = time.algorithm;
  kernel.gemm = time.gemm;
  kernel.staging = time.staging;
  kernel.kernels = time.kernels;
  kernel.kernel_s = time.total_s;
  return kernel;
}

bool may_stream(const DenseContext& context) {
  const Contraction& x = context.x;
  // Half-precision vectors go to the tiled kernels in cuBLAS.
  return !x.is_convolution && std::min(x.m, x.n) <= 4 && x.element_byte >= 4;
}

bool may_scatter(const DenseContext& context) {
  const Contraction& x = context.x;
  return context.constants().scatter && x.role == ConvRole::dgrad && x.is_convolution &&
         !x.pointwise;
}

/// The fastest that the library has.
DenseKernel library_choice(const DenseContext& context) {
  const Contraction& x = context.x;
  DenseKernel best = product(context, x, x.pointwise ? Algorithm::gemm : Algorithm::implicit_gemm);
  const auto consider = [&best](const DenseKernel& other) {
    if (other.kernel_s < best.kernel_s) best = other;
  };
  if (may_scatter(context)) consider(product(context, scattered(x), Algorithm::scatter_gemm));
  if (may_stream(context)) consider(vector_product(context));
  const TransformedTime time = best_transformed(x, context.model, context.engine);
  if (time.available) consider(transformed(time));
  return best;
}

/// The algorithm that the layer states, whether or not it is the fastest.
DenseKernel stated_choice(const DenseContext& context, Algorithm algorithm) {
  const Contraction& x = context.x;
  if (algorithm == Algorithm::implicit_gemm || algorithm == Algorithm::gemm)
    return product(context, x, algorithm);
  if (algorithm == Algorithm::scatter_gemm && x.role == ConvRole::dgrad && x.is_convolution)
    return product(context, scattered(x), algorithm);
  if (algorithm == Algorithm::gemv && std::min(x.m, x.n) <= 4) return vector_product(context);
  const TransformedTime time = best_transformed(x, context.model, context.engine, algorithm);
  if (!time.available) throw UnsuitedAlgorithm{algorithm};
  return transformed(time);
}

/// The product's own kernel: what its waves go to.
TimeParts gemm_parts(const GemmTime& gemm, double product_share, double flop_s) {
  const TileCost& cost = gemm.cost;
  const Schedule& s = gemm.schedule;
  const double sms = gemm.work.sm_count;
  TimeParts parts;
  // All blocks spread over all SMs without a gap.
  const double steps = s.blocks * s.steps / sms;
  const double fed_s = std::max(cost.math_s, cost.l2_s);
  add_issue(parts, steps * cost.math_s, gemm.tile_utilization * product_share, flop_s);
  parts.add(Limiter::instructions, steps * (cost.step_s - fed_s));
  parts.add(Limiter::l2, steps * (fed_s - cost.math_s) + s.blocks * cost.store_s / sms);
  // As they are spread, in whole waves.
  const double resident = resident_blocks(gemm);
  const double slots = s.full_waves * resident + s.last_blocks;
  parts.add(Limiter::last_wave, (slots - s.blocks / sms) * s.block_s);
  // What waves take longer than their work: more residents would hide it but in the last one.
  const bool last_is_full = s.last_blocks == 0;
  const double waited_waves = last_is_full ? s.full_waves - 1 : s.full_waves;
  const double full_excess_s = s.full_wave_s - resident * s.block_s;
  parts.add(Limiter::occupancy, waited_waves * full_excess_s);
  parts.add(Limiter::latency,
            last_is_full ? full_excess_s : s.last_wave_s - s.last_blocks * s.block_s);
  parts.add(Limiter::l2, s.partial_s);
  parts.add(Limiter::launch, s.reduce_s);
  return parts;
}

}  // namespace

DenseKernel choose_dense_kernel(const DenseContext& context) {
  const KernelMapping& mapping = context.layer.mapping;
  if (mapping.algorithm) return stated_choice(context, *mapping.algorithm);
  if (mapping.tile)
    return product(context, context.x,
                   context.x.pointwise ? Algorithm::gemm : Algorithm::implicit_gemm);
  return library_choice(context);
}

TimeParts parts_of(const DenseKernel& kernel, double flop_s) {
  TimeParts parts;
  const Staging& staging = kernel.staging;
  const Limiter workspace = staging.in_l2 ? Limiter::l2 : Limiter::dram;
  if (!kernel.tiled) {
    parts.add(Limiter::l2, kernel.vector.l2_s);
    parts.add(Limiter::latency, kernel.vector.start_s);
  } else if (staging.product_memory_s > kernel.gemm.schedule.kernel_s) {
    parts.add(workspace, staging.product_memory_s);
  } else {
    parts = gemm_parts(kernel.gemm, kernel.product_share, flop_s);
  }
  parts.add(Limiter::l2, kernel.clear_s);
  parts.add(Limiter::launch, kernel.clear_launch_s + staging.further_launch_s);
  parts.add(workspace, staging.transform_s);
  parts.add(Limiter::dram, staging.image_s);
  return parts;
}

}  // namespace roofline
