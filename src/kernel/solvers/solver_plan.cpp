// The fastest applicable solver of a library, as by the library's own search.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "kernel/fastest.hpp"
#include "kernel/solvers/solver_formulas.hpp"
#include "model/layer_kind.hpp"

namespace roofline {
namespace {

constexpr const char* solver_share_origin = "the solver's share of its family's rate";

constexpr std::array<double, 9> splits{1, 2, 4, 8, 16, 32, 64, 128, 256};

/// A convolution, and the product that it is on vector units, which pad nothing.
struct SolverContext {
  const PlanRequest& request;
  LayerProduct x;
};

EnumArray<SolverWord, bool> words_of(const SolverContext& context) {
  const Problem& problem = context.request.problem;
  using enum SolverWord;
  const bool one_channel = problem.groups > 1 && problem.group_in == 1 && problem.group_out == 1;
  const Window& w = *context.request.layer.window;
  const DataType type = context.request.layer.dtypes.input;
  const bool bare = problem.taps == 1 && w.pad_begin == Axes{} && w.pad_end == Axes{};
  const bool square_3 = problem.kernel_h == 3 && problem.kernel_w == 3;
  EnumArray<SolverWord, bool> words{};
  for (const SolverWord word :
       {static_cast<SolverWord>(context.x.role),
        type == DataType::fp32   ? fp32
        : type == DataType::fp16 ? fp16
                                 : bf16,
        w.rank == 3 ? volumes : planes, problem.groups > 1 ? groups : one_group,
        bare       ? pointwise
        : square_3 ? window_3x3
                   : windows,
        context.x.strided ? strides : unit_strides, problem.dilation > 1 ? dilations : undilated,
        problem.nhwc ? nhwc : nchw, one_channel ? depthwise : several_channels})
    words[word] = true;
  return words;
}

/// F(o, r) has tiles of (o + r - 1)^2 points, for o x o outputs of r x r taps; several cover a
/// window, for each phase of its stride. In a weight gradient taps are outputs, and the image is
/// the window.
SolverProduct winograd_product(const SolverContext& context, double outputs, double taps) {
  const Problem& problem = context.request.problem;
  const double edge = outputs + taps - 1;  // so that m x n x k counts all points
  SolverProduct product(edge * (problem.is_wgrad() ? problem.group_out : problem.batch),
                        edge * (problem.is_fwd() ? problem.group_out : problem.group_in),
                        problem.is_wgrad() ? problem.batch
                        : problem.is_fwd() ? problem.group_in
                                           : problem.group_out,
                        problem.groups);
  const auto along = [&](double window, std::uint64_t strides, double inputs, double positions) {
    const auto stride = static_cast<double>(strides);
    if (problem.is_wgrad()) {
      product.n *= stride * divide_up(divide_up(window, stride), outputs);
      product.k *= divide_up(positions, taps);
      return;
    }
    product.m *= divide_up(problem.is_fwd() ? positions : divide_up(inputs, stride), outputs);
    // Phases have floor(window / stride) taps, the first ones another.
    const double whole = std::floor(window / stride);
    const double longer = window - whole * stride;
    product.k *= longer * divide_up(whole + 1, taps) + (stride - longer) * divide_up(whole, taps);
  };
  const Axes& stride = context.request.layer.window->stride;
  along(problem.kernel_h, stride[1], problem.in_h, problem.out_h);
  along(problem.kernel_w, stride[2], problem.in_w, problem.out_w);
  return product;
}

SolverProduct product_of(const SolverContext& context, SolverMethod method) {
  const Problem& problem = context.request.problem;
  const LayerProduct& x = context.x;
  SolverProduct product(x.m, x.n, x.k, x.count);
  switch (method) {
    case SolverMethod::product:
    case SolverMethod::copied: return product;
    case SolverMethod::winograd_2x3: return winograd_product(context, 2, 3);
    case SolverMethod::winograd_3x2: return winograd_product(context, 3, 2);
    case SolverMethod::winograd_3x4: return winograd_product(context, 3, 4);
    case SolverMethod::image_batch: break;
    case SolverMethod::strided:
    case SolverMethod::columns:
      if (x.role == Pass::dgrad)
        product = SolverProduct(problem.out_positions(), problem.group_in * problem.taps,
                                problem.group_out, problem.groups);
  }
  (problem.is_wgrad() ? product.k : product.m) /= problem.batch;
  (problem.is_wgrad() || method == SolverMethod::columns ? product.times : product.count) *=
      problem.batch;
  return product;
}

/// Multiples as in the library's conditions: channels first, without phases of a stride.
bool takes(const Solver& solver, const SolverContext& context,
           const EnumArray<SolverWord, bool>& words) {
  const Problem& problem = context.request.problem;
  for (const SolverWord word : enumerators<SolverWord>)
    if (words[word] && !solver.runs[word]) return false;
  if (!holds_in(context.request.model.library.release, solver.since, solver.until)) return false;
  const LayerProduct& x = context.x;
  using Sizes = std::array<double, 3>;
  const Sizes sizes = problem.is_wgrad() ? Sizes{x.m, x.n, x.k}
                      : problem.is_fwd() ? Sizes{x.n, x.m, x.k}
                                         : Sizes{x.n, problem.in_positions(), problem.group_out};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (std::fmod(sizes[i], solver.multiples[i]) != 0) return false;
  return true;
}

/// Null if the GPU has no matrix units for the type, or another engine was requested.
const EngineModel* engine_of(const Solver& solver, const PlanRequest& request) {
  if (solver.engine == EngineClass::vector) return engine_model(request.model, Engine::fp32);
  if (is_tensor_engine(request.engine)) return request.own_engine();
  const auto dense = request.model.dense_engine[request.layer.dtypes.input];
  const bool left_open = is_depthwise(request.layer) && dense && is_tensor_engine(*dense);
  return left_open ? engine_model(request.model, *dense) : nullptr;
}

template <class Number>
SolverFormulas<Number> formulas_of(const Solver& solver, const SolverContext& context,
                                   const EngineModel& engine, Eval<Number>& eval) {
  const ResolvedModel& model = context.request.model;
  const ConstantValues& values = model.constants->values;
  const SolverConstants& constants = values.solvers[solver.family];
  const DataType type = context.request.layer.dtypes.input;
  const bool is_vector = solver.engine == EngineClass::vector;
  const Number peak = eval.sourced(engine.rate_flop_per_s, engine.peak_origin) *
                      (is_vector ? eval(values.part.single_issue_share) : Number(1));
  const Number share = eval(type == DataType::fp32   ? constants.fp32_share
                            : type == DataType::fp16 ? constants.fp16_share
                                                     : constants.bf16_share);
  const auto machine = machine_rates(model.machine, eval);
  const Number own =
      solver.share == 1 ? share : share * eval.sourced(solver.share, solver_share_origin);
  const Number flop_per_s = eval.named("FLOP a second", peak * own, "FLOP/s");
  return {constants, model, machine, flop_per_s, l2_byte_per_s(model.memory, machine, eval), eval};
}

/// The fastest tile and split of k: each part keeps two steps, and four blocks per SM are enough.
/// nullopt if none takes less than `limit_s`.
std::optional<TileMapping> fastest_tile(const Solver& solver, const SolverProduct& product,
                                        const std::vector<TileKernel>& tiles,
                                        const SolverFormulas<double>& formulas, double limit_s) {
  Planning eval;
  const ProductRates<double> rates = formulas.product_rates();
  std::optional<TileMapping> best;
  for (const TileKernel& tile : tiles) {
    const TileCost<double> cost = tile_cost(product, rates, tile, eval);
    // No schedule is faster than all SMs busy all the time.
    if (cost.tiles * cost.steps * cost.step_s >= limit_s * rates.sm_count) continue;
    TileMapping own;
    own.tile = tile;
    own.occupancy = solver_occupancy(tile, formulas.model.machine.sm);
    for (const double split : splits) {
      const double blocks = cost.tiles * split;
      const bool may_split =
          solver.splits && product.k >= 2 * split * tile.k && blocks <= 4 * rates.sm_count;
      if (split > 1 && !may_split) break;
      own.split = split;
      const auto times = schedule(product, rates, cost, split, resident_blocks(own), eval);
      own.time_s = times.kernel_s;
      if (own.time_s < limit_s) {
        best = own;
        limit_s = own.time_s;
      }
      // Blocks of shorter sums have no less arithmetic in all.
      if (blocks * times.block_s >= limit_s * rates.sm_count) break;
    }
  }
  return best;
}

/// Bytes read, and written again, by each copying kernel around a product; 0: no kernel.
std::array<double, 3> copies_of(const Problem& problem, SolverMethod method) {
  const double input = problem.input_element() * problem.element_byte;
  const double output = problem.output_element() * problem.element_byte;
  const double tiles =
      36 * problem.batch * divide_up(problem.out_h, 4) * divide_up(problem.out_w, 4);
  switch (method) {
    case SolverMethod::copied:
      if (problem.nhwc) return {};
      return {input, problem.weight_byte, output};
    case SolverMethod::strided: return {input / problem.stride};
    case SolverMethod::columns:
      return {(problem.in_channels * problem.taps * problem.out_positions() * problem.element_byte +
               input / 2) /
              problem.batch};
    case SolverMethod::winograd_3x4:
      return {tiles * problem.in_channels * problem.element_byte,
              tiles * problem.out_channels * problem.element_byte};
    default: return {};
  }
}

/// Less than the solver takes: the arithmetic of its product, without whole tiles and loads.
double least_solver_s(const SolverProduct& product, const SolverFormulas<double>& formulas) {
  constexpr double rounding = 1 - 1e-9;
  const double flop = 2 * product.m * product.n * product.k * product.count * product.times;
  return rounding * flop / formulas.flop_per_s;
}

/// The solver's name, its tile and blocks, and the bytes of the layer.
template <class Number>
KernelPlan described(const Solver& solver, const TileMapping& mapping, const GemmTime<Number>& gemm,
                     const SolverContext& context) {
  const ResolvedModel& model = context.request.model;
  KernelPlan plan;
  plan.algorithm = solver.algorithm;
  plan.solver = solver.name;
  describe_blocks(plan, mapping.tile, mapping.split, value_of(gemm.schedule.blocks),
                  mapping.occupancy.blocks, model.machine.sm_count);
  plan.occupancy = mapping.occupancy.share;
  plan.tile_utilization = value_of(gemm.useful_share);
  plan.wave_utilization = wave_utilization(gemm, mapping, model.machine.sm_count);
  Planning planning;
  const auto traffic = memory_traffic({context.x.read_byte, context.x.write_byte}, 0.0,
                                      model.memory, context.request.cache, planning);
  plan.l2_byte = traffic.l2_byte;
  plan.dram_read_byte = traffic.dram_read_byte;
  plan.dram_write_byte = traffic.dram_write_byte;
  return plan;
}

template <class Number>
KernelPlan plan_on(const Solver& solver, const SolverContext& context, const EngineModel& engine,
                   const SolverProduct& product, const TileMapping& mapping, Eval<Number>& eval) {
  const PlanRequest& request = context.request;
  const Problem& problem = request.problem;
  const LayerProduct& x = context.x;
  const auto f = formulas_of(solver, context, engine, eval);
  eval.factor("products, one after the other", product.times, "", "images");
  const auto gemm = gemm_time(product, f.product_rates(), mapping, eval);
  const Number flop_s = practical_flop_s(request.counts, request.own_engine(), eval);
  const double weight = problem.is_wgrad() ? 0 : problem.weight_byte;
  const Streams streams{(x.read_byte - weight) / product.times + weight,
                        problem.is_wgrad() ? x.write_byte : x.write_byte / product.times};

  KernelPlan plan = described(solver, mapping, gemm, context);
  plan.engine = engine.engine;
  KernelWork<Number> work = f.moving(streams);
  work.timed->time_s = gemm.schedule.kernel_s;
  add_product(work.timed->parts, gemm, f.machine.sm_count, resident_blocks(mapping),
              flop_s / product.times, eval);
  const MemorySystem& memory = request.model.memory;
  const auto time = work_time(work, f.machine, memory, request.cache, eval);
  TimeParts<Number> parts = busy_parts(work, time, Number{}, eval);
  parts.add(Limiter::launch, time.launch_s);
  for (const double byte : copies_of(problem, solver.method)) {
    if (byte == 0) continue;
    ++plan.kernels;
    eval.named("bytes copied around the product", byte, "byte", "layer");
    KernelWork<Number> copy = f.moving({byte, byte});
    if (solver.method == SolverMethod::copied)
      copy.more_launch_s = eval(request.model.constants->values.launch.solver_copy_s);
    const auto copied = work_time(copy, f.machine, memory, CacheState::warm, eval);
    parts.add(Limiter::instructions, copied.busy_s);
    parts.add(Limiter::launch, copied.launch_s);
    plan.workspace_byte += static_cast<std::uint64_t>(byte);
  }
  plan.kernels *= static_cast<std::uint64_t>(product.times);
  if (product.times > 1) parts.scale(product.times);
  // The host prepares the next image's kernels while one runs.
  parts.add(Limiter::launch, eval.named("start", eval(f.constants.start_s), "s"));
  set_time(plan, parts, eval);
  return plan;
}

template <class Number>
std::optional<KernelPlan> plan_on_fastest_solver(const SolverContext& context, Eval<Number>& eval) {
  const PlanRequest& request = context.request;
  const auto words = words_of(context);
  const auto plan_with = [&](const Solver& solver, const Fastest<KernelPlan>& others,
                             auto& any) -> std::optional<KernelPlan> {
    const EngineModel* const engine = engine_of(solver, request);
    if (engine == nullptr || !takes(solver, context, words) ||
        request.layer.mapping->algorithm.value_or(solver.algorithm) != solver.algorithm)
      return std::nullopt;
    Planning planning;
    const SolverProduct product = product_of(context, solver.method);
    const auto formulas = formulas_of(solver, context, *engine, planning);
    if (!others.may_be(least_solver_s(product, formulas))) return std::nullopt;
    const auto mapping = fastest_tile(solver, product, request.model.constants->tiles[solver.tiles],
                                      formulas, others.time_s() / product.times);
    if (!mapping) return std::nullopt;
    return plan_on(solver, context, *engine, product, *mapping, any);
  };
  return plan_on_fastest(request.model.constants->solvers, plan_with, eval);
}

}  // namespace

template <class Number>
std::optional<KernelPlan> solver_plan(const PlanRequest& request, Eval<Number>& eval) {
  const Layer& layer = request.layer;
  const DataType type = layer.dtypes.input;
  const bool has_type = type == DataType::fp32 || type == DataType::fp16 || type == DataType::bf16;
  const bool convolves = layer.kind == LayerKind::conv || layer.kind == LayerKind::conv_transpose;
  const EngineModel* const vector = engine_model(request.model, Engine::fp32);
  if (request.model.constants->solvers.empty() || !convolves || !has_type || layer.mapping->tile ||
      !vector)
    return std::nullopt;
  return plan_on_fastest_solver(
      {request, layer_product(request.problem, *vector, Operands::copied)}, eval);
}

template std::optional<KernelPlan> solver_plan(const PlanRequest&, Planning&);
template std::optional<KernelPlan> solver_plan(const PlanRequest&, Explaining&);

}  // namespace roofline
