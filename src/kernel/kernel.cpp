#include "roofline/kernel.hpp"

#include <algorithm>
#include <type_traits>

#include "kernel/chosen_row.hpp"
#include "kernel/dense/layer_product.hpp"
#include "kernel/derivation.hpp"
#include "kernel/picked_kernel.hpp"
#include "kernel/plans.hpp"
#include "kernel/tunings.hpp"
#include "model/layer_kind.hpp"
#include "model/requests.hpp"
#include "model/text.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

/// The rest of a mapping needs a tile.
void check_mapping(const PlanRequest& request) {
  const Layer& layer = request.layer;
  const KernelMapping& mapping = *layer.mapping;
  if (layer.groups > 1 && mapping != KernelMapping{})
    throw InputError("expected a kernel mapping only where there is one group, got " +
                     std::to_string(layer.groups) + " groups");
  const bool has_parts = mapping.split_k || mapping.threads || mapping.stages ||
                         mapping.registers || mapping.shared_memory_byte;
  const bool has_direct = !request.model.constants->solvers.empty() && has_window(layer.kind);
  if (mapping.algorithm == Algorithm::direct && !mapping.tile && !has_direct)
    throw InputError("expected a tile [m, n, k] beside \"direct\", which no library has, got none");
  if (has_parts && !mapping.tile)
    throw InputError("expected a tile [m, n, k] beside the rest of the mapping, got none");
}

/// Whether the library has solvers for the layer, but no solver of the stated algorithm.
bool lacks_solver(const PlanRequest& request) {
  if (!request.layer.mapping->algorithm) return false;
  Layer layer = request.layer;
  layer.mapping = KernelMapping{};
  Planning eval;
  return solver_plan({layer, request.counts, request.engine, request.model, request.cache}, eval)
      .has_value();
}

/// In place of a library's solvers, where there are some.
template <class Number>
std::optional<KernelPlan> dense_plan_without_solver(const PlanRequest& request,
                                                    Eval<Number>& eval) {
  auto plan = dense_plan(request, eval);
  if (plan && lacks_solver(request)) plan->in_library = false;
  return plan;
}

template <class Number>
std::optional<KernelPlan> plan_by_formulas(const PlanRequest& request, Eval<Number>& eval) {
  const KindFamily family = info(request.layer.kind).family;
  const bool contracts = family == KindFamily::contraction;
  if (family == KindFamily::free || family == KindFamily::transfer) return std::nullopt;
  if (contracts) check_mapping(request);
  const EngineModel* const own = request.own_engine();
  const bool is_dense = contracts && request.layer.groups == 1;
  if (own == nullptr && (is_dense || (multiplies(request.layer.kind) && !contracts)))
    return std::nullopt;
  if (contracts)
    if (auto on_solver = solver_plan(request, eval)) return on_solver;
  if (is_dense) return dense_plan_without_solver(request, eval);
  if (family == KindFamily::recurrent) return recurrent_plan(request, eval);
  if (family == KindFamily::deformable) return deformable_plan(request, eval);
  const auto flop_s = practical_flop_s(request.counts, own, eval);
  const auto rates = machine_rates(request.model.machine, eval);
  auto works = contracts                         ? grouped_works(request, rates, eval)
               : family == KindFamily::attention ? attention_works(request, rates, eval)
                                                 : streaming_works(request, rates, eval);
  // Constants are of other engines: none is faster than its own. In fp64 no kernel saves MACs.
  const bool computes_all = request.engine == Engine::fp64 || !saves_macs(works.front().algorithm);
  if (computes_all && !(works.front().least_s > 0)) works.front().least_s = flop_s;
  auto plan = plan_of_works(works, flop_s, rates, request.model, request.cache, eval);
  plan.engine = works.front().engine.value_or(request.engine);
  return plan;
}

/// A plan's time, times a ratio.
template <class Number>
TimeParts<Number> parts_of(const KernelPlan& plan, const Number& ratio) {
  TimeParts<Number> parts;
  for (const Limiter limiter : enumerators<Limiter>)
    parts.add(limiter, Number(plan.part_s[limiter]) * ratio);
  return parts;
}

template <class Number>
void add_time(KernelPlan& plan, Limiter limiter, const Number& more_s, Eval<Number>& eval) {
  TimeParts<Number> parts = parts_of(plan, Number(1));
  parts.add(limiter, more_s);
  set_time(plan, parts, eval);
}

/// Gradients leave out taps that fall on padding alone, which are counted as in every published
/// figure: no time is below the counted FLOP's at the peak, but by an algorithm that saves them.
template <class Number>
std::optional<KernelPlan> plan_in_own_type(const PlanRequest& request, Eval<Number>& eval) {
  auto plan = plan_by_formulas(request, eval);
  if (!plan || request.counts.flops == 0 || saves_macs(plan->algorithm)) return plan;
  double most_flop_per_s = 0;
  for (const Engine engine : {plan->engine, request.engine})
    if (const EngineModel* const model = engine_model(request.model, engine))
      most_flop_per_s = std::max(most_flop_per_s, model->rate_flop_per_s);
  const double counted_s = static_cast<double>(request.counts.flops) / most_flop_per_s;
  // Between kernels nothing is computed.
  const double time_s = plan->expected_time_s() - plan->part_s[Limiter::launch];
  if (!(most_flop_per_s > 0) || counted_s <= time_s) return plan;
  add_time(*plan, Limiter::math, eval.named("FLOP at the peak", counted_s, "s", "counted") - time_s,
           eval);
  return plan;
}

/// A layer run in more bits than its type.
struct WiderLayer {
  Layer layer;
  Counts counts;
  Engine engine = Engine::fp16_tensor;
  double bits = 16;

  PlanRequest request(const PlanRequest& own) const {
    return {layer, counts, engine, own.model, own.cache};
  }
};

bool is_narrow(DataType type) { return info(type).bits < 16; }

DataType widened(DataType type, DataType wide) { return is_narrow(type) ? wide : type; }

/// cuDNN's heuristic runs two in three of these layers on vector units (implicit_convolve_sgemm,
/// implicit_convolveNd_sgemm, wgrad_alg1), whose kernels on tensor cores a builder generates: many
/// taps, channels and results.
bool falls_back(const ChoiceRow* picked) {
  return picked != nullptr &&
         is_any(picked->kernel, LibraryKernel::vector_fallback, LibraryKernel::half_scatter);
}

/// A GPU's tensor cores for the layer's type, whichever engine was asked for; null without.
const EngineModel* tensor_model(const PlanRequest& request) {
  if (is_tensor_engine(request.engine)) return request.own_engine();
  const std::optional<Engine> dense = request.model.dense_engine[request.layer.dtypes.input];
  return dense && is_tensor_engine(*dense) ? engine_model(request.model, *dense) : nullptr;
}

/// Vector units were asked for where the library multiplies on tensor cores alone: 16 bits and
/// less, groups, and every layer of a library with solvers, whose products are rocBLAS's.
bool is_off_tensor_cores(const PlanRequest& request) {
  const Layer& layer = request.layer;
  const KindFamily family = info(layer.kind).family;
  if (!is_any(family, KindFamily::contraction, KindFamily::recurrent) || is_depthwise(layer) ||
      is_tensor_engine(request.engine) || tensor_model(request) == nullptr)
    return false;
  return info(layer.dtypes.input).bits <= 16 || layer.groups > 1 ||
         !request.model.constants->solvers.empty();
}

constexpr double vector_bits = 32;

/// cuDNN's older kernels on vector units, in NCHW or between copies: TF32's convolutions may run in
/// fp32, and 16-bit ones forward, or as data gradients that sum in fp32 where tensor cores have
/// none (cuDNN 7).
std::optional<PlanRequest> on_vector_units(const PlanRequest& request, const ChoiceRow* picked) {
  const Layer& layer = request.layer;
  const EngineModel* const own = tensor_model(request);
  const EngineModel* const vector = engine_model(request.model, Engine::fp32);
  if (!is_convolution(layer.kind) || layer.groups > 1 || runs_as_product_of_rows(request.problem) ||
      !is_any(layer.kernels, KernelSource::library, KernelSource::heuristic) ||
      layer.mapping->tile || own == nullptr || vector == nullptr ||
      !has_cudnn(request.model.machine))
    return std::nullopt;
  if (!is_tensor_engine(request.engine) && !is_off_tensor_cores(request)) return std::nullopt;
  const auto scatters = [](const EngineModel& engine) {
    return engine.features[LibraryFeature::scatter];
  };
  if (own->engine != Engine::tf32) {
    const Pass pass = request.problem.pass;
    const bool adds = pass == Pass::dgrad && !scatters(*own) && scatters(*vector);
    if (facts_of(own->engine).operand_byte != 2) return std::nullopt;
    if (pass != Pass::fwd && !adds && !falls_back(picked)) return std::nullopt;
  }
  return PlanRequest{layer,         request.counts, Engine::fp32,
                     request.model, request.cache,  request.problem};
}

/// From 32 bits on NVIDIA's libraries have kernels on vector units beside those on tensor cores.
std::optional<PlanRequest> beside_tensor_cores(const PlanRequest& request) {
  const Layer& layer = request.layer;
  const bool in_tf32 = request.engine == Engine::tf32 && !has_window(layer.kind);
  if (!is_any(info(layer.kind).family, KindFamily::contraction, KindFamily::recurrent) ||
      layer.groups > 1 || layer.mapping->tile || !has_cudnn(request.model.machine) ||
      (!in_tf32 && request.engine != Engine::fp64_tensor))
    return std::nullopt;
  const Engine vector = request.engine == Engine::fp64_tensor ? Engine::fp64 : Engine::fp32;
  if (engine_model(request.model, vector) == nullptr) return std::nullopt;
  return PlanRequest{layer, request.counts, vector, request.model, request.cache, request.problem};
}

/// Below 16 bits an inference engine's builder times kernels in both widths and keeps the faster,
/// with the surrounding tensors in 16 bits. nullopt without a choice: other kinds, wider types,
/// int32 output, a stated mapping, another engine, or a higher 16-bit peak (V100, B300), so that no
/// time is below the roofline of the requested type. MIOpen's groups then run in fp32.
std::optional<WiderLayer> in_16_bits(const PlanRequest& request) {
  const Layer& layer = request.layer;
  const auto [input, weight, output] = layer.dtypes;
  if (info(layer.kind).family != KindFamily::contraction || !is_narrow(input) ||
      !is_narrow(weight) || output == DataType::int32 || layer.mapping->tile)
    return std::nullopt;
  EngineRates rates;
  for (const Engine each : enumerators<Engine>)
    if (const EngineModel* const model = engine_model(request.model, each))
      rates[each] = model->rate_flop_per_s;
  if (select_engine(layer, rates, EngineChoice::automatic) != request.engine) return std::nullopt;
  WiderLayer wider{layer, {}, request.engine};
  wider.layer.kernels = KernelSource::inference_engine;
  for (const DataType wide : {DataType::fp16, DataType::fp32}) {
    wider.layer.dtypes = {widened(input, wide), widened(weight, wide), widened(output, wide)};
    const auto own = select_engine(wider.layer, rates, EngineChoice::automatic);
    if (own && *rates[*own] <= *rates[request.engine]) {
      wider.engine = *own;
      wider.bits = static_cast<double>(info(wide).bits);
      wider.counts = count(wider.layer);
      return wider;
    }
    if (request.model.constants->solvers.empty()) break;
  }
  return std::nullopt;
}

/// In the layer's own type, where the library runs it in no other.
template <class Number>
std::optional<KernelPlan> plan_without_choice(const PlanRequest& request, Eval<Number>& eval) {
  auto plan = plan_in_own_type(request, eval);
  if (plan && is_off_tensor_cores(request) && plan->solver->empty()) plan->in_library = false;
  return plan;
}

/// More FLOP than vector units do in this time. No transform saves any of products, in 64 bits, or
/// in 16 in NHWC.
bool is_beyond_vector_units(const PlanRequest& wider, double time_s) {
  const EngineModel* const engine = wider.own_engine();
  const auto bits = info(wider.layer.dtypes.input).bits;
  const bool computes_all =
      !has_window(wider.layer.kind) || bits == 64 || (bits == 16 && is_nhwc(wider.layer));
  return engine != nullptr && !is_tensor_engine(wider.engine) && computes_all &&
         static_cast<double>(wider.counts.flops) >= time_s * engine->rate_flop_per_s;
}

template <class Number>
std::optional<KernelPlan> fastest_plan(const PlanRequest& request, const ChoiceRow* picked,
                                       Eval<Number>& eval) {
  const std::optional<WiderLayer> wider_layer = in_16_bits(request);
  const std::optional<PlanRequest> in_more_bits =
      wider_layer ? wider_layer->request(request) : on_vector_units(request, picked);
  const std::optional<PlanRequest> wider =
      in_more_bits ? in_more_bits : beside_tensor_cores(request);
  if (!wider) return plan_without_choice(request, eval);
  const bool lacks_own = is_off_tensor_cores(request);
  Planning planning;
  auto own = plan_in_own_type(request, planning);
  const bool must = lacks_own || !own || !own->in_library || falls_back(picked);
  std::optional<KernelPlan> other;
  if (must || !is_beyond_vector_units(*wider, own->expected_time_s()))
    other = plan_in_own_type(*wider, planning);
  const bool is_alone = other && other->in_library && (lacks_own || !own || !own->in_library);
  // A kernel that a heuristic falls back to is never expected to be faster than the fastest.
  const bool is_lacking = other && own && own->in_library && !other->in_library;
  const bool is_faster =
      other && own && !is_lacking && other->expected_time_s() < own->expected_time_s();
  const bool runs_wider = other && (is_alone || !own || is_faster != falls_back(picked));
  if constexpr (std::is_same_v<Number, double>) {
    if (runs_wider) return other;
    return own;
  }
  if (!runs_wider) return plan_in_own_type(request, eval);
  if (falls_back(picked)) name_row(*picked, *request.model.constants, eval);
  if (in_more_bits)
    eval.named("bits of an element", wider_layer ? wider_layer->bits : vector_bits, "bit",
               "kernels in more bits, which are faster");
  return plan_in_own_type(*wider, eval);
}

/// On the kernel of a row that states its mapping; nullopt where it would beat the fastest.
template <class Number>
std::optional<KernelPlan> plan_of_row(const PlanRequest& request, const ChoiceRow& row,
                                      Eval<Number>& eval) {
  const std::optional<PickedLayer> picked = picked_layer(request, row);
  if (!picked) return std::nullopt;
  Planning planning;
  const PlanRequest own = picked->request(request);
  auto plan = plan_in_own_type(own, planning);
  if (!plan) return std::nullopt;
  Layer tuned = request.layer;
  tuned.kernels = KernelSource::library;
  const auto fastest =
      fastest_plan(PlanRequest{tuned, request.counts, request.engine, request.model, request.cache},
                   nullptr, planning);
  const double picked_s = plan->expected_time_s() + beside_picked_s(request, row, planning);
  if (fastest && picked_s < fastest->expected_time_s()) return std::nullopt;
  if constexpr (!std::is_same_v<Number, double>) {
    name_row(row, *request.model.constants, eval);
    plan = plan_in_own_type(own, eval);
  }
  plan->in_library = true;
  return plan;
}

template <class Number>
void take_time_of_picked(KernelPlan& plan, const LayerErrors& picked, Eval<Number>& eval) {
  if (picked.heuristic_ratio == 1) return;
  const Number ratio = eval.named("time of the kernel that the heuristic picks, to the fastest's",
                                  picked.heuristic_ratio, "", picked.origin.c_str());
  set_time(plan, parts_of(plan, ratio), eval);
}

template <class Number>
std::optional<KernelPlan> plan(const PlanRequest& request, Eval<Number>& eval) {
  const Layer& layer = request.layer;
  const ChoiceRow* const picked = picked_row(request);
  std::optional<KernelPlan> plan;
  if (picked != nullptr) plan = plan_of_row(request, *picked, eval);
  if (!plan) plan = fastest_plan(request, picked, eval);
  if (!plan && layer.mapping->algorithm && request.own_engine() != nullptr &&
      info(layer.kind).family == KindFamily::contraction)
    throw InputError("expected an algorithm that " + request.model.gpu +
                     " has for this layer, got " + in_quotes(name_of(*layer.mapping->algorithm)));
  if (!plan || layer.kernels != KernelSource::heuristic) return plan;
  if (picked != nullptr) {
    const Number beside_s = beside_picked_s(request, *picked, eval);
    if (value_of(beside_s) > 0) add_time(*plan, Limiter::instructions, beside_s, eval);
  }
  const LayerErrors* const errors =
      request.model.errors->find(layer, layer.kernels, request.engine);
  if (errors != nullptr) take_time_of_picked(*plan, *errors, eval);
  return plan;
}

/// Additional launch time of a protocol over a graph; may be negative.
double more_launch_s(const KernelPlan& plan, const MemorySystem& memory, const Launch& launch) {
  const double launch_s = plan.part_s[Limiter::launch];
  switch (launch.protocol) {
    case LaunchProtocol::graph:
      return std::max(launch.calls_graph ? memory.call_s : 0,
                      memory.submit_s - plan.expected_time_s());
    case LaunchProtocol::kernel:
      return -std::min(launch_s, memory.gap_s * static_cast<double>(plan.kernels));
    case LaunchProtocol::stream:
      return memory.stream_s * (launch.runs_engine ? memory.engine_share : 1);
    case LaunchProtocol::eager:
      return std::max(0.0, host_time_s(plan, launch) - plan.expected_time_s());
  }
  return 0;
}

/// A GPU that lets its clock fall when idle raises it some milliseconds into the first kernel.
double idle_ratio(const KernelPlan& plan, double time_s, const PartConstants& part, bool is_idle) {
  if (!is_idle || plan.solver->empty() || !(time_s > 0)) return 1;
  const double most = part.idle_time_ratio;
  return std::min(most, 1 + part.idle_s * (1 - 1 / most) / time_s);
}

}  // namespace

Expected<std::optional<KernelPlan>> plan_kernel(const Layer& layer, const Counts& counts,
                                                Engine engine, const KernelModel& model,
                                                CacheState cache) {
  if (!is_enumerator(engine)) return InputError(expected_enumerator(engine));
  return expected([&] {
    Planning eval;
    return plan({layer, counts, engine, model.resolved(), cache}, eval);
  });
}

Expected<std::vector<DerivationStep>> derive_kernel(const Layer& layer, const Counts& counts,
                                                    Engine engine, const KernelModel& model,
                                                    CacheState cache) {
  if (!is_enumerator(engine)) return InputError(expected_enumerator(engine));
  return expected([&] {
    Explaining eval(*model.resolved().constants);
    plan({layer, counts, engine, model.resolved(), cache}, eval);
    return eval.take();
  });
}

bool heuristic_picks_fastest(const Layer& layer, Engine engine) {
  const bool is_volume_wgrad = layer.window->rank == 3 && layer.pass == Pass::wgrad;
  return !is_tensor_engine(engine) && layer.groups == 1 && !is_narrow(layer.dtypes.input) &&
         !is_volume_wgrad;
}

KernelPlan as_picked(KernelPlan fastest, const LayerErrors& picked) {
  Planning eval;
  take_time_of_picked(fastest, picked, eval);
  return fastest;
}

double host_time_s(const KernelPlan& plan, const Launch& launch) {
  const auto kernels = std::max(1.0, static_cast<double>(plan.kernels));
  // torchvision's kernels are as many operators.
  if (plan.algorithm == Algorithm::deformed_columns) return kernels * launch.host_operator_s;
  return launch.host_operator_s + (kernels - 1) * launch.host_kernel_s;
}

KernelPlan launched(KernelPlan plan, const KernelModel& model, const Launch& launch) {
  const double more_s = more_launch_s(plan, model.resolved().memory, launch);
  const PartConstants& part = model.resolved().constants->values.part;
  plan.idle_ratio = idle_ratio(plan, plan.expected_time_s() + more_s, part, launch.from_idle);
  if (more_s == 0 && plan.idle_ratio == 1) return plan;
  plan.part_s[Limiter::launch] += more_s;
  Planning eval;
  set_time(plan, parts_of(plan, plan.idle_ratio), eval);
  return plan;
}

}  // namespace roofline
