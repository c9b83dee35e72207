#include "model/kernel/plan_contraction.hpp"

#include <algorithm>
#include <cmath>

namespace roofline {
namespace {

std::uint64_t to_count(double value) { return static_cast<std::uint64_t>(std::round(value)); }

/// Tensor-core kernels want channels last, in whole vectors. One-dimensional tensors have no such
/// layout in frameworks, and other channel counts are padded: two copies around the kernel.
double copied_byte(const DenseContext& context) {
  const Contraction& x = context.x;
  if (!is_tensor_engine(context.engine.engine) || !x.is_convolution) return 0;
  const bool copies = x.channels_first || x.unaligned || (x.rank == 1 && !x.pointwise);
  return copies ? x.read_byte + x.write_byte : 0;
}

void set_copies(ContractionTime& time, const DenseContext& context) {
  const DenseConstants& c = context.constants();
  const Machine& machine = context.model.machine;
  time.copied_element = copied_byte(context) / context.x.element_byte;
  if (time.copied_element == 0) return;
  time.copy_s =
      time.copied_element / (c.transpose_per_clk_per_sm * machine.clock_hz * machine.sm_count);
  time.copy_launch_s = 2 * (context.model.memory.launch_s + c.extra_kernel_s);
  time.kernels += 2;
}

ContractionTime time_of(const DenseContext& context, const DenseKernel& kernel, CacheState cache) {
  const DenseConstants& c = context.constants();
  const MemorySystem& memory = context.model.memory;
  const Contraction& x = context.x;
  const Streams streams{x.read_byte, x.write_byte};
  ContractionTime time;
  time.flop_s = x.useful_flop / sustained_flop_per_s(context.engine);
  time.traffic = memory_traffic(streams, memory, cache, 0);
  time.dram_byte = timed_dram_byte(streams, time.traffic, cache);
  time.dram_s = time.dram_byte / memory.dram_byte_per_s;
  const double longer_s = std::max(time.dram_s, kernel.kernel_s);
  const double shorter_s = std::min(time.dram_s, kernel.kernel_s);
  if (shorter_s > 0)
    (time.dram_s > kernel.kernel_s ? time.kernel_weight : time.dram_weight) =
        shorter_s / (longer_s + overlapped_s(longer_s, shorter_s));
  if (!kernel.stated) time.first_start_s = x.is_convolution ? c.start_s : c.library_start_s;
  time.first_launch_s = memory.launch_s + time.first_start_s;
  time.kernels = kernel.kernels;
  set_copies(time, context);
  return time;
}

void describe_tile(KernelPlan& plan, const DenseKernel& kernel, const Machine& machine) {
  const GemmTime& gemm = kernel.gemm;
  plan.tile = {gemm.tile.m, gemm.tile.n, gemm.tile.k};
  plan.split_k = to_count(gemm.split);
  plan.threads = gemm.tile.threads;
  plan.stages = gemm.tile.stages;
  plan.registers = gemm.tile.registers;
  plan.shared_memory_byte = gemm.shared_byte;
  plan.blocks = to_count(gemm.schedule.blocks);
  plan.resident_blocks_per_sm = gemm.occupancy.blocks;
  plan.occupancy = gemm.occupancy.share;
  plan.tile_utilization = gemm.tile_utilization * kernel.product_share;
  plan.wave_utilization = gemm.wave_utilization;
  plan.waves = gemm.schedule.blocks / (machine.sm_count * resident_blocks(gemm));
}

}  // namespace

ContractionKernel contraction_kernel(const Layer& layer, const Counts& counts,
                                     const ResolvedModel& model, const EngineModel& engine,
                                     CacheState cache) {
  const DenseContext context{layer, model, engine,
                             contraction_of(layer, counts, engine.engine, engine.features)};
  const DenseKernel dense = choose_dense_kernel(context);
  return {context.x, dense, time_of(context, dense, cache)};
}

KernelPlan plan_of(const ContractionKernel& kernel, const Machine& machine) {
  KernelPlan plan;
  plan.algorithm = kernel.dense.algorithm;
  plan.kernels = to_count(kernel.time.kernels);
  if (kernel.dense.tiled) describe_tile(plan, kernel.dense, machine);
  plan.l2_byte = kernel.dense.tiled ? kernel.dense.gemm.l2_byte : kernel.dense.vector.byte;
  plan.dram_read_byte = kernel.time.traffic.dram_read_byte;
  plan.dram_write_byte = kernel.time.traffic.dram_write_byte;
  set_time(plan, parts_of<TimeParts>(kernel));
  return plan;
}

}  // namespace roofline
