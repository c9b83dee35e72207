#include "roofline/kernel.hpp"

#include <algorithm>

#include "kernel/plans.hpp"
#include "roofline/error.hpp"
#include "roofline/explanation.hpp"

namespace roofline {
namespace {

void require_no_mapping(const Layer& layer) {
  if (layer.mapping != KernelMapping{})
    throw InputError("", "",
                     "expected a kernel mapping only where there is one group, got " +
                         std::to_string(layer.groups) + " groups");
}

/// What stands beside a tile says nothing without one.
void require_tile(const KernelMapping& mapping) {
  const bool has_parts = mapping.split_k || mapping.threads || mapping.stages ||
                         mapping.registers || mapping.shared_memory_byte;
  if (mapping.algorithm == Algorithm::direct && !mapping.tile)
    throw InputError("", "",
                     "expected a tile [m, n, k] beside \"direct\", which no library has, got none");
  if (has_parts && !mapping.tile)
    throw InputError("", "", "expected a tile [m, n, k] beside the rest of the mapping, got none");
}

template <class Trace>
std::optional<KernelPlan> plan_in_own_type(const Layer& layer, const Counts& counts, Engine engine,
                                           const ResolvedModel& model, CacheState cache,
                                           Trace& trace) {
  if (layer.groups > 1) {
    require_no_mapping(layer);
    return grouped_plan(layer, counts, engine, model, cache, trace);
  }
  require_tile(*layer.mapping);
  const EngineModel* const own = engine_model(model, engine);
  if (own == nullptr) return std::nullopt;
  return dense_plan(layer, counts, *own, model, cache, trace);
}

/// A layer in a type of fewer than 16 bits, run in 16. The builder of an inference engine times its
/// kernels of both and keeps the faster, the tensors around the layer being in 16 bits as well.
struct WiderLayer {
  Layer layer;
  Counts counts;
  Engine engine = Engine::fp16_tensor;
};

bool is_narrow(DataType type) { return info(type).bits < 16; }

DataType widened(DataType type) { return is_narrow(type) ? DataType::fp16 : type; }

/// None where nobody chooses: for a type of 16 bits and more, sums that are asked for in int32, a
/// stated mapping, an engine that is not the one of its type, and where 16 bits have the higher
/// peak (V100, B300), so that no time is below the roofline of the type that is asked for.
std::optional<WiderLayer> in_16_bits(const Layer& layer, Engine engine,
                                     const ResolvedModel& model) {
  const auto [input, weight, output] = layer.dtypes;
  if (!is_narrow(input) || !is_narrow(weight) || output == DataType::int32 ||
      layer.mapping != KernelMapping{})
    return std::nullopt;
  EngineRates rates;
  for (const Engine each : enumerators<Engine>)
    if (const EngineModel* const own = engine_model(model, each))
      rates[each] = own->rate_flop_per_s;
  if (select_engine(layer, rates, EngineChoice::automatic) != engine) return std::nullopt;
  WiderLayer wider{layer, {}, engine};
  wider.layer.dtypes = {widened(input), widened(weight), widened(output)};
  wider.layer.kernels = KernelSource::inference_engine;
  const auto own = select_engine(wider.layer, rates, EngineChoice::automatic);
  if (!own || *rates[*own] > *rates[engine]) return std::nullopt;
  wider.engine = *own;
  wider.counts = count(wider.layer);
  return wider;
}

/// In the layer's own type, or in 16 bits where that is faster.
template <class Trace>
std::optional<KernelPlan> plan_contraction(const Layer& layer, const Counts& counts, Engine engine,
                                           const ResolvedModel& model, CacheState cache,
                                           Trace& trace) {
  if (const auto wider = in_16_bits(layer, engine, model)) {
    Planning planning;
    const auto own = plan_in_own_type(layer, counts, engine, model, cache, planning);
    const auto other =
        plan_in_own_type(wider->layer, wider->counts, wider->engine, model, cache, planning);
    if (own && other && other->expected_time_s < own->expected_time_s) {
      trace.named("bits of an element", 16, "bit", "kernels in 16 bits, which are faster");
      return plan_in_own_type(wider->layer, wider->counts, wider->engine, model, cache, trace);
    }
  }
  return plan_in_own_type(layer, counts, engine, model, cache, trace);
}

template <class Trace>
std::optional<KernelPlan> plan(const Layer& layer, const Counts& counts, Engine engine,
                               const ResolvedModel& model, CacheState cache, Trace& trace) {
  switch (info(layer.kind).family) {
    case KindFamily::free:
    case KindFamily::transfer: return std::nullopt;
    case KindFamily::attention:
      if (const EngineModel* const own = engine_model(model, engine))
        return attention_plan(layer, counts, *own, model, cache, trace);
      return std::nullopt;
    case KindFamily::contraction:
      return plan_contraction(layer, counts, engine, model, cache, trace);
    default: return streaming_plan(layer, counts, engine, model, cache, trace);
  }
}

/// What a protocol takes longer to start the plan's kernels than a graph does; may be negative.
double more_launch_s(const KernelPlan& plan, const MemorySystem& memory, const Launch& launch) {
  const double launch_s = plan.part_s[Limiter::launch];
  switch (launch.protocol) {
    case LaunchProtocol::graph: return 0;
    case LaunchProtocol::kernel:
      return -std::min(launch_s, memory.gap_s * static_cast<double>(plan.kernels));
    case LaunchProtocol::stream: return memory.stream_s;
    case LaunchProtocol::eager: return std::max(0.0, launch.host_operator_s - plan.expected_time_s);
  }
  return 0;
}

}  // namespace

Expected<std::optional<KernelPlan>> plan_kernel(const Layer& layer, const Counts& counts,
                                                Engine engine, const KernelModel& model,
                                                CacheState cache) {
  return expected([&] {
    Planning trace;
    return plan(layer, counts, engine, model.resolved(), cache, trace);
  });
}

Expected<std::vector<DerivationStep>> derive_kernel(const Layer& layer, const Counts& counts,
                                                    Engine engine, const KernelModel& model,
                                                    CacheState cache) {
  return expected([&] {
    Explaining trace(*model.resolved().constants);
    plan(layer, counts, engine, model.resolved(), cache, trace);
    return trace.take();
  });
}

KernelPlan launched(KernelPlan plan, const KernelModel& model, const Launch& launch) {
  const double more_s = more_launch_s(plan, model.resolved().memory, launch);
  TimeParts<double> parts;
  for (const Limiter limiter : enumerators<Limiter>)
    parts.add(limiter, plan.part_s[limiter] + (limiter == Limiter::launch ? more_s : 0));
  Planning trace;
  set_time(plan, parts, trace);
  return plan;
}

}  // namespace roofline
