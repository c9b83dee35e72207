#include "model/kernel/plan_contraction.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/kernel/contraction.hpp"
#include "model/kernel/gemm_kernel.hpp"
#include "model/kernel/memory_traffic.hpp"
#include "model/kernel/transformed_kernel.hpp"

namespace roofline {
namespace {

/// Everything that a choice among kernels needs.
struct Context {
  const Layer& layer;
  const ResolvedModel& model;
  const EngineModel& engine;
  Contraction x;

  const ContractionConstants& constants() const { return engine.constants; }
  double l2_byte_per_s() const {
    return engine.constants.l2_byte_per_clk_per_sm * model.machine.clock_hz *
           model.machine.sm_count;
  }
};

/// A way to run the layer.
struct Candidate {
  Algorithm algorithm = Algorithm::gemm;
  GemmTime gemm;
  double kernel_s = 0;  ///< all its kernels, without the first launch and DRAM
  double kernels = 1;
  double product_share = 1;  ///< of the product's arithmetic that the layer asked for
  bool tiled = true;
};

std::uint64_t count_of(double value) { return static_cast<std::uint64_t>(value + 0.5); }

double combined_s(double kernel_s, double dram_s, double overlap_loss) {
  return std::max(kernel_s, dram_s) + overlap_loss * std::min(kernel_s, dram_s);
}

GemmTime gemm_of(const Context& context, const Contraction& x) {
  const Machine& machine = context.model.machine;
  const Engine engine = context.engine.engine;
  const GemmWork work = gemm_work(x, machine, context.engine);
  if (context.layer.mapping.tile)
    return given_gemm(context.layer.mapping, machine.sm, work, is_tensor_engine(engine));
  return best_gemm(work, library_tiles(machine, engine, x), machine.sm);
}

Candidate product(const Context& context, const Contraction& x, Algorithm algorithm) {
  Candidate candidate;
  candidate.algorithm = algorithm;
  candidate.gemm = gemm_of(context, x);
  candidate.kernel_s = candidate.gemm.kernel_s;
  candidate.kernels = candidate.gemm.split > 1 ? 2 : 1;
  if (x.leaves_zeros) {
    candidate.kernel_s +=
        context.constants().library_launch_s + x.write_byte / context.l2_byte_per_s();
    candidate.kernels += 1;
  }
  candidate.product_share = std::min(1.0, x.useful_flop / (2 * x.m * x.n * x.issued_k * x.count));
  return candidate;
}

/// A product with a vector: every weight is used once, so the kernel streams the matrix through
/// threads that each hold a few sums. No tiles; the time of its bytes from L2.
Candidate vector_product(const Context& context) {
  Candidate candidate;
  candidate.algorithm = Algorithm::gemv;
  candidate.gemm.l2_byte = context.x.read_byte + context.x.write_byte;
  candidate.gemm.l2_s = candidate.gemm.l2_byte / context.l2_byte_per_s();
  candidate.gemm.latency_s = context.constants().block_latency_clk / context.model.machine.clock_hz;
  candidate.kernel_s = candidate.gemm.l2_s + candidate.gemm.latency_s;
  candidate.tiled = false;
  return candidate;
}

Candidate transformed(const TransformedTime& time) {
  return {time.algorithm, time.gemm, time.total_s, time.kernels, 1, true};
}

bool may_stream(const Context& context) {
  const Contraction& x = context.x;
  // Half-precision vectors go to the tiled kernels in cuBLAS.
  return !x.is_convolution && std::min(x.m, x.n) <= 4 && x.element_byte >= 4;
}

bool may_scatter(const Context& context) {
  const Contraction& x = context.x;
  return context.constants().scatter && x.role == ConvRole::dgrad && x.is_convolution &&
         !x.pointwise;
}

/// The fastest that the library has.
Candidate library_choice(const Context& context) {
  const Contraction& x = context.x;
  Candidate best = product(context, x, x.pointwise ? Algorithm::gemm : Algorithm::implicit_gemm);
  const auto consider = [&best](const Candidate& other) {
    if (other.kernel_s < best.kernel_s) best = other;
  };
  if (may_scatter(context)) consider(product(context, scattered(x), Algorithm::scatter_gemm));
  if (may_stream(context)) consider(vector_product(context));
  const TransformedTime time = best_transformed(x, context.model, context.engine);
  if (time.available) consider(transformed(time));
  return best;
}

/// The algorithm that the layer states, whether or not it is the fastest.
Candidate stated_choice(const Context& context, Algorithm algorithm) {
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

Candidate choose(const Context& context) {
  const KernelMapping& mapping = context.layer.mapping;
  if (mapping.algorithm) return stated_choice(context, *mapping.algorithm);
  if (mapping.tile)
    return product(context, context.x,
                   context.x.pointwise ? Algorithm::gemm : Algorithm::implicit_gemm);
  return library_choice(context);
}

void describe(KernelPlan& plan, const Candidate& candidate, const Machine& machine) {
  const GemmTime& gemm = candidate.gemm;
  plan.algorithm = candidate.algorithm;
  plan.kernels = count_of(candidate.kernels);
  plan.l2_byte = gemm.l2_byte;
  plan.math_s = gemm.math_s;
  plan.l2_s = gemm.l2_s;
  plan.latency_s = gemm.latency_s;
  if (!candidate.tiled) return;
  plan.tile = {gemm.tile.m, gemm.tile.n, gemm.tile.k};
  plan.split_k = count_of(gemm.split);
  plan.threads = gemm.tile.threads;
  plan.stages = gemm.tile.stages;
  plan.registers = gemm.tile.registers;
  plan.shared_memory_byte = gemm.shared_byte;
  plan.blocks = count_of(gemm.blocks);
  plan.resident_blocks_per_sm = gemm.occupancy.blocks;
  plan.occupancy = gemm.occupancy.share;
  plan.tile_utilization = gemm.tile_utilization * candidate.product_share;
  plan.wave_utilization = gemm.wave_utilization;
  const double resident = std::max(1.0, static_cast<double>(gemm.occupancy.blocks));
  plan.waves = gemm.blocks / (machine.sm_count * resident);
}

/// Tensor-core kernels want channels last, in whole vectors. One-dimensional tensors have no such
/// layout in frameworks, and other channel counts are padded: two copies around the kernel.
double layout_copy_byte(const Context& context) {
  const Contraction& x = context.x;
  if (!is_tensor_engine(context.engine.engine) || !x.is_convolution) return 0;
  const bool copies = x.channels_first || x.unaligned || (x.rank == 1 && !x.pointwise);
  return copies ? x.read_byte + x.write_byte : 0;
}

/// The largest of the parts that the expected time is cut into (see the header).
void set_limiter(KernelPlan& plan, double kernel_s, double body_s) {
  std::array<double, 8> part{};
  const auto at = [&part](Limiter l) -> double& { return part[static_cast<std::size_t>(l)]; };
  at(Limiter::launch) = plan.launch_s;
  at(Limiter::dram) = plan.expected_time_s - plan.launch_s - body_s;  // layout copies
  if (plan.dram_s >= kernel_s) {
    at(Limiter::dram) += body_s;
  } else {
    const double math_s = std::min(plan.math_s, kernel_s);
    const double l2_s = std::clamp(plan.l2_s - math_s, 0.0, kernel_s - math_s);
    const double busy = std::max(plan.wave_utilization, 1e-9);
    const double idle_s =
        std::clamp((math_s + l2_s) * (1 / busy - 1), 0.0, kernel_s - math_s - l2_s);
    at(Limiter::math) = math_s * plan.tile_utilization;
    at(Limiter::tile_padding) = math_s * (1 - plan.tile_utilization);
    at(Limiter::l2) = l2_s;
    at(Limiter::last_wave) = idle_s;
    at(Limiter::latency) = body_s - math_s - l2_s - idle_s;
  }
  const auto largest = std::max_element(part.begin(), part.end());
  plan.limiter = static_cast<Limiter>(largest - part.begin());
  // With blocks waiting for a place, more resident ones would hide the latency.
  if (plan.limiter == Limiter::latency && plan.waves > 1) plan.limiter = Limiter::occupancy;
  plan.limiter_share = *largest / plan.expected_time_s;
}

void set_times(KernelPlan& plan, const Context& context, const Candidate& candidate,
               CacheState cache) {
  const ContractionConstants& c = context.constants();
  const Machine& machine = context.model.machine;
  const MemorySystem& memory = context.model.memory;
  const Contraction& x = context.x;
  const Streams streams{x.read_byte, x.write_byte};
  const Traffic bytes = memory_traffic(streams, memory, cache, 0);
  plan.dram_read_byte = bytes.dram_read_byte;
  plan.dram_write_byte = bytes.dram_write_byte;
  plan.dram_s = dram_time_s(streams, bytes, memory, cache);
  plan.launch_s = x.is_convolution ? c.launch_s : c.library_launch_s;
  const double body_s = combined_s(candidate.kernel_s, plan.dram_s, c.overlap_loss);
  double copy_s = 0;
  if (const double copied = layout_copy_byte(context) / x.element_byte; copied > 0) {
    copy_s = copied / (c.transpose_per_clk_per_sm * machine.clock_hz * machine.sm_count);
    plan.launch_s += 2 * c.extra_kernel_s;
    plan.kernels += 2;
  }
  plan.expected_time_s = body_s + copy_s + plan.launch_s;
  set_limiter(plan, candidate.kernel_s, body_s);
}

}  // namespace

KernelPlan plan_contraction(const Layer& layer, const Counts& counts, const ResolvedModel& model,
                            const EngineModel& engine, CacheState cache) {
  const ContractionConstants& c = engine.constants;
  const Context context{
      layer, model, engine,
      contraction_of(layer, counts, engine.engine, c.channel_pad, c.skips_empty_phases)};
  const Candidate candidate = choose(context);
  KernelPlan plan;
  describe(plan, candidate, model.machine);
  set_times(plan, context, candidate, cache);
  return plan;
}

}  // namespace roofline
