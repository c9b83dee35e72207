#include "kernel/dense/dense_plan.hpp"

#include <cmath>

namespace roofline {
namespace {

std::uint64_t to_count(double value) { return static_cast<std::uint64_t>(std::round(value)); }

/// Tensor-core kernels want channels last, in whole vectors. One-dimensional tensors have no such
/// layout in frameworks, and other channel counts are padded: two copies around the kernel.
bool copies_layouts(const DenseContext& context) {
  const Contraction& x = context.x;
  if (!is_tensor_engine(context.engine.engine) || !x.is_convolution) return false;
  return x.channels_first || x.unaligned || (x.rank == 1 && !x.pointwise);
}

template <class Number>
void describe_tile(KernelPlan& plan, const DenseChoice& choice, const GemmTime<Number>& gemm,
                   double sm_count) {
  const TileMapping& mapping = choice.mapping;
  const TileKernel& tile = mapping.tile;
  const Product& p = choice.product;
  const double resident = resident_blocks(mapping);
  const double blocks = value_of(gemm.schedule.blocks);
  plan.tile = {tile.m, tile.n, tile.k};
  plan.split_k = to_count(mapping.split);
  plan.threads = tile.threads;
  plan.stages = tile.stages;
  plan.registers = tile.registers;
  plan.shared_memory_byte = mapping.shared_byte;
  plan.blocks = to_count(blocks);
  plan.resident_blocks_per_sm = mapping.occupancy.blocks;
  plan.occupancy = mapping.occupancy.share;
  plan.tile_utilization = value_of(gemm.useful_share);
  plan.wave_utilization = blocks / (sm_count * (value_of(gemm.schedule.full_waves) * resident +
                                                value_of(gemm.schedule.last_blocks)));
  plan.waves = blocks / (sm_count * resident);
  // Of operands and results that exist: partly filled tiles fetch and write no others.
  const double tiles_m = divide_up(p.m, tile.m), tiles_n = divide_up(p.n, tile.n);
  const double operands = (p.m * p.patch_share * tiles_n + p.n * tiles_m) * p.k;
  plan.l2_byte = p.count * (operands * p.element_byte + p.m * p.n * mapping.split * p.result_byte);
}

/// Read or written by the copies around a kernel, in the wider tensor of each.
double copied_elements(const Contraction& x) {
  return x.pads_image ? 4 * (x.batch * x.in_h * x.in_w + x.out_channels * x.taps)
                      : (x.read_byte + x.write_byte) / x.element_byte;
}

/// Of kernels and DRAM, the shorter is hidden but for a share.
template <class Trace>
void add_overlapped(TimeParts<NumberOf<Trace>>& parts, const NumberOf<Trace>& kernel_s,
                    const NumberOf<Trace>& dram_s, Trace& trace) {
  using Number = NumberOf<Trace>;
  const bool dram_longer = dram_s > kernel_s;
  const Number& longer_s = dram_longer ? dram_s : kernel_s;
  const Number& shorter_s = dram_longer ? kernel_s : dram_s;
  Number shown = 1;
  if (shorter_s > 0) {
    const Number both_s =
        trace.named("kernels and DRAM, overlapping", hypot(longer_s, shorter_s), "s");
    shown = trace.named("share of the shorter that shows", shorter_s / (longer_s + both_s));
  }
  if (dram_longer) parts.scale(shown);
  parts.add(Limiter::dram, (dram_longer ? Number(1) : shown) * dram_s);
}

template <class Trace>
KernelPlan plan_of(const DenseContext& context, const Counts& counts, CacheState cache,
                   Trace& trace) {
  using Number = NumberOf<Trace>;
  const EngineModel& engine = context.engine;
  const ResolvedModel& model = context.model;
  const Contraction& x = context.x;
  const MemorySystem& memory = model.memory;
  const DenseConstants& c = *engine.constants;
  const DenseChoice choice = choose_dense_kernel(context);

  const Number flop_s = practical_flop_s(counts, &engine, trace);
  const auto rates = dense_rates(model, trace);
  const auto kernel = dense_kernel(context, choice, rates, trace);
  const auto traffic = memory_traffic({x.read_byte, x.write_byte}, Number{}, memory, cache, trace);
  const Number dram_s = trace.named("DRAM", traffic.timed_dram_byte / rates.dram_byte_per_s, "s");

  TimeParts<Number> parts;
  add_kernels(parts, choice, kernel, rates, flop_s, trace);
  add_overlapped(parts, kernel.kernel_s, dram_s, trace);
  const Number launch_s = trace.sourced(memory.launch_s, memory.launch_origin);
  const bool copies = copies_layouts(context) || x.pads_image;
  if (copies) {
    const Number elements = copied_elements(x);
    const Number element_per_s =
        trace(c.transpose_per_clk_per_sm) * rates.machine.clock_hz * rates.machine.sm_count;
    parts.add(Limiter::instructions,
              trace.named("copies between layouts", elements / element_per_s, "s"));
    parts.add(Limiter::launch,
              trace.named("launches of the copies", 2 * (launch_s + trace(c.extra_kernel_s)), "s"));
  }
  const Number start_s =
      choice.mapping.stated
          ? Number{}
          : engine.start_share * trace(x.is_convolution ? c.start_s : c.library_start_s);
  parts.add(Limiter::launch, trace.named("first launch", launch_s + start_s, "s"));

  KernelPlan plan;
  plan.algorithm = choice.algorithm;
  plan.kernels = to_count(choice.kernels()) + (copies ? 2 : 0);
  plan.l2_byte = x.read_byte + x.write_byte;
  if (choice.tiled()) describe_tile(plan, choice, kernel.gemm, model.machine.sm_count);
  plan.workspace_byte = to_count(value_of(kernel.gemm.schedule.partial_byte) +
                                 value_of(kernel.staging.workspace_byte) +
                                 (copies ? copied_elements(x) * x.element_byte : 0));
  plan.dram_read_byte = value_of(traffic.dram_read_byte);
  plan.dram_write_byte = value_of(traffic.dram_write_byte);
  set_time(plan, parts, trace);
  return plan;
}

/// The engine as kernels reach it that a builder picks, where libraries' reach another share.
std::optional<EngineModel> built_engine(const EngineModel& library, const Layer& layer) {
  if (layer.kernels != KernelSource::inference_engine ||
      library.built_math_share == library.math_share)
    return std::nullopt;
  EngineModel built = library;
  built.math_share = library.built_math_share;
  built.math_origin = library.built_math_origin;
  return built;
}

}  // namespace

template <class Trace>
KernelPlan dense_plan(const Layer& layer, const Counts& counts, const EngineModel& library,
                      const ResolvedModel& model, CacheState cache, Trace& trace) {
  const std::optional<EngineModel> built = built_engine(library, layer);
  const EngineModel& engine = built ? *built : library;
  const auto context_of = [&](FewChannels few) {
    return DenseContext{layer, model, engine, contraction_of(layer, counts, engine, few)};
  };
  const DenseContext gathered = context_of(FewChannels::gathered);
  const bool may_pad = gathered.x.gathered && keeps_tensors_padded(layer);
  if (!may_pad || layer.mapping != KernelMapping{}) return plan_of(gathered, counts, cache, trace);
  const DenseContext padded = context_of(FewChannels::padded);
  Planning planning;
  const bool pads = plan_of(padded, counts, cache, planning).expected_time_s <
                    plan_of(gathered, counts, cache, planning).expected_time_s;
  return plan_of(pads ? padded : gathered, counts, cache, trace);
}

template KernelPlan dense_plan(const Layer&, const Counts&, const EngineModel&,
                               const ResolvedModel&, CacheState, Planning&);
template KernelPlan dense_plan(const Layer&, const Counts&, const EngineModel&,
                               const ResolvedModel&, CacheState, Explaining&);

}  // namespace roofline
