// Dense contractions: convolutions of one group, linear layers and matrix products. Chooses
// operands; adds overlapping DRAM traffic, copies between layouts and launches to the kernel's
// time.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "kernel/choices.hpp"
#include "kernel/dense/dense_rows.hpp"
#include "kernel/fastest.hpp"
#include "model/layer_kind.hpp"

namespace roofline {
namespace {

/// Data gradients of windows as large as their strides, by cuDNN on tensor cores.
bool may_fold(const DenseContext& context) {
  const LayerProduct& x = context.x;
  return has_cudnn(context.model.machine) && is_tensor_engine(context.engine.engine) &&
         x.element_byte > 1 && x.strided_dgrad() && x.problem->rank == 2 &&
         context.layer.window->kernel == context.layer.window->stride &&
         has_row(context.model.constants->choices, context.model.library, LibraryKernel::folded,
                 choice_facts(*x.problem, x.problem->nhwc, true));
}

std::uint64_t to_count(double value) { return static_cast<std::uint64_t>(std::round(value)); }

/// Copies around a kernel.
struct Copies {
  double kernels = 0;
  double moved = 0;    ///< elements between NCHW and NHWC, in blocks of 32 channels x 32 positions
  double padded = 0;   ///< elements read and written to pad channels or images
  double element = 0;  ///< of the copied tensors
  /// Read and written beside the kernel, whole tensors, to what the kernel reads and writes.
  double again = 0;
};

/// Tensor-core kernels need channels last; cuDNN's on vector units channels first, but for weight
/// gradients of images.
bool reorders(const DenseContext& context) {
  const LayerProduct& x = context.x;
  if (is_tensor_engine(context.engine.engine)) return x.channels_first;
  return x.problem->nhwc && has_cudnn(context.model.machine) &&
         (x.role != Pass::wgrad || x.problem->rank == 3);
}

Copies copies_of(const DenseContext& context) {
  const LayerProduct& x = context.x;
  const Problem& problem = *x.problem;
  Copies copies;
  if (!x.is_convolution) return copies;
  const auto move = [&copies](double rows, double channels, double positions) {
    copies.moved += rows * round_up(channels, 32) * round_up(positions, 32);
  };
  const double image = problem.input_element();
  const double whole = image + problem.output_element();
  const double asked = (x.read_byte + x.write_byte) / x.element_byte;
  const bool reordered = reorders(context);
  if (reordered) {
    copies.again = 2 * std::max(1.0, whole / asked);
    copies.element = asked;
    move(problem.batch, problem.in_channels, problem.input_positions);
    move(problem.batch, problem.out_channels, problem.output_positions);
    if (problem.taps > 1) move(problem.out_channels, problem.in_channels, problem.taps);
  } else if (x.pads_image) {
    copies.element =
        4 * (problem.batch * problem.in_h * problem.in_w + problem.out_channels * problem.taps);
    copies.moved = copies.element;
  }
  // In a gradient one of two tensors is padded on its way to the other layout.
  const double apart = reordered && x.role != Pass::fwd ? 0.5 : 1;
  copies.kernels = (copies.moved > 0 ? 2 : 0) + apart * x.padded_tensors;
  copies.padded = apart * x.pad_element;
  // cuDNN pads both ends alike, so frameworks write a padded image first.
  const Window& window = *problem.layer->window;
  if (window.pad_begin != window.pad_end && has_cudnn(context.model.machine) &&
      problem.kernels != KernelSource::inference_engine) {
    copies.kernels += 1;
    copies.padded += 2 * image;
    copies.again += 2 * image / asked;
  }
  copies.element += copies.padded;
  return copies;
}

/// From NCHW to NHWC and back, or to padded channels. The part of tensors beyond the L2 is read and
/// written once more.
template <class Number>
void add_copies(TimeParts<Number>& parts, const Copies& copies, const DenseContext& context,
                const MachineRates<Number>& machine, const Number& dram_s, Eval<Number>& eval) {
  if (copies.kernels == 0) return;
  const MemorySystem& memory = context.model.memory;
  const CopyConstants& copying = context.model.constants->values.copies;
  const Number clock_per_s = machine.clock_hz * machine.sm_count;
  const Number moved_s = copies.moved / (eval(copying.transpose_per_clk_per_sm) * clock_per_s);
  const Number padded_s = copies.padded / (eval(copying.pad_per_clk_per_sm) * clock_per_s);
  const Number start_s = eval.sourced(memory.launch_s, memory.launch_origin) +
                         eval(context.engine.constants->copy_start_s);
  parts.add(Limiter::instructions,
            eval.named("copies between layouts", hypot(moved_s, copies.again * dram_s), "s"));
  parts.add(Limiter::instructions, eval.summand("copies that pad", padded_s, "s"));
  parts.add(Limiter::launch, eval.named("launches of the copies", copies.kernels * start_s, "s"));
}

template <class Number>
void describe_tile(KernelPlan& plan, const DenseChoice& choice, const GemmTime<Number>& gemm,
                   double sm_count) {
  const TileMapping& mapping = choice.mapping;
  const TileKernel& tile = mapping.tile;
  const TileProduct& product = choice.product;
  const double resident = resident_blocks(mapping);
  const double blocks = value_of(gemm.schedule.blocks);
  describe_blocks(plan, tile, mapping.split, blocks, resident, sm_count);
  plan.stages = tile.stages;
  plan.registers = tile.registers;
  plan.shared_memory_byte = mapping.shared_byte;
  plan.resident_blocks_per_sm = mapping.occupancy.blocks;
  plan.occupancy = mapping.occupancy.share;
  plan.tile_utilization = value_of(gemm.useful_share);
  plan.wave_utilization = wave_utilization(gemm, mapping, sm_count);
  // Only existing operands and results: partly filled tiles fetch and write no others.
  const double tiles_m = divide_up(product.m, tile.m);
  const double tiles_n = divide_up(product.n, tile.n);
  const double operands =
      (product.m * product.patch_share * tiles_n + product.n * tiles_m) * product.k;
  plan.l2_byte = product.count * (operands * product.element_byte +
                                  product.m * product.n * mapping.split * product.result_byte);
}

/// nullopt if the layer has no kernel of the stated algorithm.
template <class Number>
std::optional<KernelPlan> plan_of(const DenseContext& context, const PlanRequest& request,
                                  Eval<Number>& eval) {
  const EngineModel& engine = context.engine;
  const ResolvedModel& model = context.model;
  const LayerProduct& x = context.x;
  const MemorySystem& memory = model.memory;
  const std::optional<DenseChoice> chosen = fastest_choice(context);
  if (!chosen) return std::nullopt;
  const DenseChoice& choice = *chosen;

  const Number flop_s = practical_flop_s(request.counts, &engine, eval);
  const auto rates = dense_rates(model, eval);
  GemmTime<Number> gemm;
  if (choice.tiled())
    gemm =
        gemm_time(choice.product, product_rates(choice.product, model, engine, rates.machine, eval),
                  choice.mapping, eval);
  const auto around = around_product(context, choice, rates, gemm.schedule.kernel_s, eval);
  KernelWork<Number> work;
  work.streams = {x.read_byte, x.write_byte};
  // The GEMM library's constants hold the way of its bytes through L2.
  work.passes_l2 = x.is_convolution;
  TimedBlocks<Number>& blocks = work.timed.emplace();
  blocks.time_s = around.kernels_s;
  if (!around.hides_product)
    add_product(blocks.parts, gemm, rates.machine.sm_count, resident_blocks(choice.mapping), flop_s,
                eval);
  for (const auto& [limiter, time_s] : around.parts) blocks.parts.add(limiter, time_s);
  if (!choice.mapping.stated)
    work.more_launch_s =
        engine.start_share *
        eval(x.is_convolution ? engine.constants->start_s : engine.constants->library_start_s);
  const auto time = work_time(work, rates.machine, memory, request.cache, eval);

  TimeParts<Number> parts = busy_parts(work, time, Number{}, eval);
  const Copies copies = copies_of(context);
  add_copies(parts, copies, context, rates.machine, time.dram_s, eval);
  parts.add(Limiter::launch, time.launch_s);

  KernelPlan plan;
  plan.algorithm = choice.algorithm;
  plan.in_library = is_in_library(context);
  plan.engine = engine.engine;
  plan.kernels = to_count(choice.kernels() + copies.kernels);
  plan.l2_byte = x.read_byte + x.write_byte;
  if (choice.tiled()) describe_tile(plan, choice, gemm, model.machine.sm_count);
  plan.workspace_byte = to_count(value_of(gemm.schedule.partial_byte) +
                                 value_of(around.workspace_byte) + copies.element * x.element_byte);
  plan.dram_read_byte = value_of(time.traffic.dram_read_byte);
  plan.dram_write_byte = value_of(time.traffic.dram_write_byte);
  set_time(plan, parts, eval);
  return plan;
}

/// As the library finds by timing: operands where they lie or copies of them.
template <class Number>
std::optional<KernelPlan> fastest_plan_of(const PlanRequest& request, const EngineModel& engine,
                                          Eval<Number>& eval) {
  const Layer& layer = request.layer;
  const auto context_with = [&](Operands operands) {
    return DenseContext{layer, request.model, engine,
                        layer_product(request.problem, engine, operands)};
  };
  const bool is_fp64 = request.problem.element_byte == 8;
  const bool has_rows =
      (is_fp64 || has_cudnn(request.model.machine)) && runs_as_product_of_rows(request.problem);
  const DenseContext own = context_with(has_rows ? Operands::as_rows : Operands::as_they_are);
  const LayerProduct& x = own.x;
  const bool may_copy = (x.is_convolution || has_rows) && !layer.mapping->tile;
  const bool copies = may_copy && !is_fp64 && (x.gathered || x.row_byte < 16 || x.sums_products);
  const bool folds = may_copy && may_fold(own);
  if (!copies && !folds) return plan_of(own, request, eval);
  std::array<std::optional<DenseContext>, 3> candidates;
  candidates[0].emplace(own);
  if (copies) candidates[1].emplace(context_with(Operands::copied));
  if (folds) candidates[2].emplace(context_with(Operands::folded));
  const auto plan_on = [&](const std::optional<DenseContext>& context, const auto&, auto& any) {
    return context ? plan_of(*context, request, any) : std::nullopt;
  };
  return plan_on_fastest(candidates, plan_on, eval);
}

}  // namespace

template <class Number>
std::optional<KernelPlan> dense_plan(const PlanRequest& request, Eval<Number>& eval) {
  const Layer& layer = request.layer;
  const EngineModel& library = *request.own_engine();
  std::optional<EngineModel> built;  // with the rates of kernels picked by a builder
  if (layer.kernels == KernelSource::inference_engine &&
      library.built_math_share != library.math_share) {
    built = library;
    built->math_share = library.built_math_share;
    built->math_origin = library.built_math_origin;
  }
  const EngineModel& engine = built ? *built : library;
  return fastest_plan_of(request, engine, eval);
}

template std::optional<KernelPlan> dense_plan(const PlanRequest&, Planning&);
template std::optional<KernelPlan> dense_plan(const PlanRequest&, Explaining&);

}  // namespace roofline
