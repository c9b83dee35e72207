// Which of a library's solvers runs a convolution, and its plan: the fastest of those that take the
// layer, as the library's own search would choose.

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "kernel/solvers/solver_formulas.hpp"

namespace roofline {
namespace {

constexpr std::array<double, 9> splits{1, 2, 4, 8, 16, 32, 64, 128, 256};

struct SolverProblem {
  const PlanRequest& request;
  Contraction x;  ///< on vector units, which pad nothing

  const Window& window() const { return *request.layer.window; }
  double groups() const { return static_cast<double>(request.layer.groups); }
};

SolverWords words_of(const SolverProblem& p) {
  const Window& w = p.window();
  const DataType type = p.request.layer.dtypes.input;
  const bool bare = p.x.taps == 1 && w.pad_begin == Axes{} && w.pad_end == Axes{};
  SolverWords words{};
  words[static_cast<SolverWord>(p.x.role)] = true;
  words[type == DataType::fp32   ? SolverWord::fp32
        : type == DataType::fp16 ? SolverWord::fp16
                                 : SolverWord::bf16] = true;
  words[w.rank == 3 ? SolverWord::volumes : SolverWord::planes] = true;
  words[p.groups() > 1 ? SolverWord::groups : SolverWord::one_group] = true;
  words[bare ? SolverWord::pointwise : SolverWord::windows] = true;
  words[p.x.strided ? SolverWord::strides : SolverWord::unit_strides] = true;
  words[p.x.dilation > 1 ? SolverWord::dilations : SolverWord::undilated] = true;
  return words;
}

/// Windows of `taps` that a window along an axis is taken apart into, for each phase of its stride.
double pieces_of(double window, double stride, double taps) {
  double pieces = 0;
  for (double phase = 0; phase < stride && phase < window; ++phase)
    pieces += divide_up(divide_up(window - phase, stride), taps);
  return pieces;
}

SolverProduct winograd_product(const SolverProblem& p, double outputs, double taps) {
  const Contraction& x = p.x;
  const bool fwd = x.role == Pass::fwd, wgrad = x.role == Pass::wgrad;
  const double in = x.in_channels / p.groups(), out = x.out_channels / p.groups();
  const double edge = outputs + taps - 1;  // of the points of a tile, all of which m x n x k counts
  SolverProduct product{edge * (wgrad ? out : x.batch), edge * (fwd ? out : in),
                        wgrad ? x.batch
                        : fwd ? in
                              : out,
                        p.groups()};
  const auto along = [&](double window, double stride, double inputs, double positions) {
    if (wgrad) {
      product.n *= stride * divide_up(divide_up(window, stride), outputs);
      product.k *= divide_up(positions, taps);
    } else {
      product.m *= divide_up(fwd ? positions : divide_up(inputs, stride), outputs);
      product.k *= pieces_of(window, stride, taps);
    }
  };
  const Axes& stride = p.window().stride;
  along(x.kernel_h, static_cast<double>(stride[1]), x.in_h, x.out_h);
  along(x.kernel_w, static_cast<double>(stride[2]), x.in_w, x.out_w);
  return product;
}

SolverProduct product_of(const SolverProblem& p, SolverMethod method) {
  const Contraction& x = p.x;
  if (method == SolverMethod::winograd_2x3) return winograd_product(p, 2, 3);
  if (method == SolverMethod::winograd_3x2) return winograd_product(p, 3, 2);
  if (method == SolverMethod::winograd_3x4) return winograd_product(p, 3, 4);
  SolverProduct product{x.m, x.n, x.k, x.count};
  if (method == SolverMethod::product || method == SolverMethod::copied) return product;
  const bool wgrad = x.role == Pass::wgrad, by_column = method == SolverMethod::columns;
  if (x.role == Pass::dgrad && method != SolverMethod::image_batch)
    product = {x.out_positions, x.in_channels * x.taps / p.groups(), x.out_channels / p.groups(),
               p.groups()};
  (wgrad ? product.k : product.m) /= x.batch;
  (wgrad || by_column ? product.times : product.count) *= x.batch;
  return product;
}

bool takes(const Solver& solver, const SolverProblem& p, const SolverWords& words) {
  for (const SolverWord word : enumerators<SolverWord>)
    if (words[word] && !solver.runs[word]) return false;
  const Contraction& x = p.x;
  if (solver.window > 0 && (x.kernel_h != solver.window || x.kernel_w != solver.window))
    return false;
  // As its conditions count them: channels first, and no phases of a stride.
  const bool dgrad = x.role == Pass::dgrad, wgrad = x.role == Pass::wgrad;
  const std::array<double, 3> sizes{wgrad ? x.m : x.n,
                                    wgrad   ? x.n
                                    : dgrad ? x.in_positions
                                            : x.m,
                                    dgrad ? x.out_channels / p.groups() : x.k};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (std::fmod(sizes[i], solver.multiples[i]) != 0) return false;
  return true;
}

/// The engine that it computes on: none where the GPU has none for the type, and none that
/// multiplies matrices where the user asked for another.
const EngineModel* engine_of(const Solver& solver, const PlanRequest& request) {
  if (solver.engine == EngineClass::vector) return engine_model(request.model, Engine::fp32);
  if (is_tensor_engine(request.engine)) return request.own_engine();
  const auto dense = request.model.dense_engine[request.layer.dtypes.input];
  return dense && is_tensor_engine(*dense) && is_depthwise(request.layer)
             ? engine_model(request.model, *dense)
             : nullptr;
}

template <class Trace>
SolverRates<NumberOf<Trace>> solver_rates(const Solver& solver, const SolverProblem& p,
                                          const EngineModel& engine, Trace& trace) {
  using Number = NumberOf<Trace>;
  const ResolvedModel& model = p.request.model;
  const SolverConstants& c = model.constants->values.solvers[solver.family];
  SolverRates<Number> r{c, model.memory, machine_rates(model.machine, trace)};
  const DataType type = p.request.layer.dtypes.input;
  Number flop_per_s = trace.sourced(engine.rate_flop_per_s, engine.peak_origin);
  if (solver.engine == EngineClass::vector)
    flop_per_s = flop_per_s * trace(model.constants->values.part.single_issue_share);
  const Number share = trace(type == DataType::fp32   ? c.fp32_share
                             : type == DataType::fp16 ? c.fp16_share
                                                      : c.bf16_share);
  const bool follows_window = p.x.taps > 1 && solver.method != SolverMethod::columns;
  r.flop_per_s = trace.named(
      "FLOP a second", flop_per_s * share * (follows_window ? trace(c.window_share) : Number(1)),
      "FLOP/s");
  return r;
}

/// The fastest tile, and split of k.
SolverTile fastest_tile(const Solver& solver, const SolverProduct& product,
                        const SolverRates<double>& rates) {
  Planning trace;
  SolverTile best;
  double best_s = std::numeric_limits<double>::infinity();
  for (const auto& size : solver.tiles)
    for (const double split : splits) {
      const auto kernel = solver_kernel(product, {size, split}, rates, trace);
      // Each part keeps two steps, and four blocks an SM are enough.
      const bool may_split = solver.splits && product.k >= 2 * split * size[2] &&
                             kernel.blocks <= 4 * rates.machine.sm_count;
      if (split > 1 && !may_split) break;
      if (const double kernel_s = kernel.chained_s + kernel.partial_s; kernel_s < best_s)
        best = {size, split}, best_s = kernel_s;
    }
  return best;
}

/// Bytes of one of the products that run one after the other.
Streams streams_of(const SolverProblem& p, double times) {
  const double weight = static_cast<double>(p.request.counts.bytes.weight);
  const bool writes_weight = p.x.role == Pass::wgrad;
  return {(p.x.read_byte - (writes_weight ? 0 : weight)) / times + (writes_weight ? 0 : weight),
          writes_weight ? p.x.write_byte : p.x.write_byte / times};
}

/// What is copied around a product, each by a kernel: bytes moved.
std::vector<double> copies_of(const SolverProblem& p, SolverMethod method) {
  const auto& bytes = p.request.counts.bytes;
  const auto number = [](std::uint64_t byte) { return static_cast<double>(byte); };
  switch (method) {
    case SolverMethod::copied:
      return {2 * number(bytes.input), 2 * number(bytes.weight), 2 * number(bytes.output)};
    case SolverMethod::strided: return {2 * number(bytes.input) / p.x.stride};
    case SolverMethod::columns: {
      const double columns = p.x.in_channels * p.x.taps * p.x.out_positions * p.x.element_byte;
      return {(2 * columns + number(bytes.input)) / p.x.batch};
    }
    case SolverMethod::winograd_3x4: {
      const double points =
          36 * p.x.batch * divide_up(p.x.out_h, 4) * divide_up(p.x.out_w, 4) * p.x.element_byte;
      return {2 * points * p.x.in_channels, 2 * points * p.x.out_channels};
    }
    default: return {};
  }
}

template <class Trace>
KernelPlan plan_on(const Solver& solver, const SolverProblem& p, const EngineModel& engine,
                   Trace& trace) {
  using Number = NumberOf<Trace>;
  Planning planning;
  const SolverProduct product = product_of(p, solver.method);
  const SolverTile tile = fastest_tile(solver, product, solver_rates(solver, p, engine, planning));
  const auto rates = solver_rates(solver, p, engine, trace);
  const SolverConstants& c = rates.constants;
  const CacheState cache = p.request.cache;
  const Number launch_s = trace.sourced(rates.memory.launch_s, rates.memory.launch_origin);

  trace.named("m", product.m);
  trace.named("n", product.n);
  trace.named("k", product.k);
  trace.factor("products", product.count, "", "of one shape");
  trace.factor("products, one after the other", product.times, "", "images");
  const auto kernel = solver_kernel(product, tile, rates, trace);
  const Number flop_s = practical_flop_s(p.request.counts, p.request.own_engine(), trace);
  TimeParts<Number> parts;
  add_issue(parts, kernel.spread_s, kernel.useful_share, flop_s / product.times, trace);
  parts.add(Limiter::last_wave, kernel.waves_s - kernel.spread_s);
  parts.add(Limiter::latency, kernel.chained_s - kernel.waves_s);
  parts.add(Limiter::l2, kernel.partial_s);
  const Streams streams = streams_of(p, product.times);
  const Number memory_s =
      moving_s("operands and result", streams, c.memory_share, rates, cache, trace);
  add_overlapped(parts, kernel.chained_s + kernel.partial_s, memory_s, trace);
  parts.add(Limiter::launch, trace.named("launch", launch_s + trace(c.start_s), "s"));
  const std::vector<double> copies = copies_of(p, solver.method);
  for (const double byte : copies) {
    const Streams half{byte / 2, byte / 2};
    parts.add(Limiter::instructions, moving_s("copy around the product", half, c.copy_share, rates,
                                              CacheState::warm, trace));
    parts.add(Limiter::launch, trace.named("its launch", launch_s + trace(c.copy_start_s), "s"));
  }
  if (product.times > 1) parts.scale(product.times);

  KernelPlan plan;
  plan.algorithm = solver.algorithm;
  plan.solver = solver.name;
  plan.kernels = static_cast<std::uint64_t>(product.times) * (1 + copies.size());
  plan.tile = {tile.size[0], tile.size[1], tile.size[2]};
  plan.split_k = static_cast<std::uint64_t>(tile.split);
  plan.blocks = static_cast<std::uint64_t>(value_of(kernel.blocks));
  plan.resident_blocks_per_sm = static_cast<std::uint64_t>(c.resident_blocks);
  plan.waves = value_of(kernel.blocks) / (c.resident_blocks * p.request.model.machine.sm_count);
  plan.tile_utilization = value_of(kernel.useful_share);
  plan.wave_utilization = value_of(kernel.spread_s) / value_of(kernel.waves_s);
  for (const double byte : copies) plan.workspace_byte += static_cast<std::uint64_t>(byte / 2);
  plan.l2_byte = product.times * (streams.read_byte + streams.write_byte);
  const auto traffic =
      memory_traffic({p.x.read_byte, p.x.write_byte}, 0.0, rates.memory, cache, planning);
  plan.dram_read_byte = traffic.dram_read_byte;
  plan.dram_write_byte = traffic.dram_write_byte;
  set_time(plan, parts, trace);
  return plan;
}

}  // namespace

template <class Trace>
std::optional<KernelPlan> solver_plan(const PlanRequest& request, Trace& trace) {
  const Layer& layer = request.layer;
  const DataType type = layer.dtypes.input;
  const EngineModel* const vector = engine_model(request.model, Engine::fp32);
  const bool has_type = type == DataType::fp32 || type == DataType::fp16 || type == DataType::bf16;
  const std::vector<Solver>& solvers = request.model.constants->solvers;
  const bool convolves = layer.kind == LayerKind::conv || layer.kind == LayerKind::conv_transpose;
  if (solvers.empty() || !convolves || !has_type || layer.mapping != KernelMapping{} ||
      vector == nullptr)
    return std::nullopt;
  const SolverProblem p{request,
                        contraction_of(layer, request.counts, *vector, FewChannels::padded)};
  const SolverWords words = words_of(p);
  const Solver* best = nullptr;
  const EngineModel* best_engine = nullptr;
  double best_s = std::numeric_limits<double>::infinity();
  Planning planning;
  for (const Solver& solver : solvers) {
    const EngineModel* const engine = engine_of(solver, request);
    if (engine == nullptr || !takes(solver, p, words)) continue;
    const double time_s = plan_on(solver, p, *engine, planning).expected_time_s;
    if (time_s < best_s) best = &solver, best_engine = engine, best_s = time_s;
  }
  if (best == nullptr) return std::nullopt;
  return plan_on(*best, p, *best_engine, trace);
}

template std::optional<KernelPlan> solver_plan(const PlanRequest&, Planning&);
template std::optional<KernelPlan> solver_plan(const PlanRequest&, Explaining&);

}  // namespace roofline
