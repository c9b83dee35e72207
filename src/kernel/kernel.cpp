#include "roofline/kernel.hpp"

#include "kernel/attention/attention_kernel.hpp"
#include "kernel/dense/dense_plan.hpp"
#include "kernel/grouped/grouped_kernel.hpp"
#include "kernel/streaming/streaming_kernel.hpp"
#include "kernel/wider_type.hpp"
#include "roofline/error.hpp"
#include "roofline/explanation.hpp"

namespace roofline {
namespace {

[[noreturn]] void fail_plan(const ImpossibleMapping& impossible, const KernelModel& model) {
  throw InputError("", "",
                   "expected a mapping that " + model.gpu() + " can run, got " +
                       std::to_string(impossible.needed) + " " +
                       std::string(name_of(impossible.limit)) + " where it has " +
                       std::to_string(impossible.available) + ": " +
                       std::to_string(impossible.needed - impossible.available) + " too many");
}

[[noreturn]] void fail_plan(const UnsuitedAlgorithm& unsuited, const KernelModel& model) {
  throw InputError("", "",
                   "expected an algorithm that " + model.gpu() + " has for this layer, got \"" +
                       std::string(name_of(unsuited.algorithm)) + "\"");
}

void require_no_mapping(const Layer& layer) {
  if (layer.mapping != KernelMapping{})
    throw InputError("", "",
                     "expected a kernel mapping only where there is one group, got " +
                         std::to_string(layer.groups) + " groups");
}

[[noreturn]] void fail_plan(const SmallSharedMemory& small) {
  throw InputError(
      "", "",
      "expected at least " + std::to_string(small.needed) +
          " bytes of shared memory a block, which the stated tile's stages hold, got " +
          std::to_string(small.stated));
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

/// A dense contraction; what cannot run is an error in the user's words.
template <class Trace>
std::optional<KernelPlan> plan_dense(const Layer& layer, const Counts& counts, Engine engine,
                                     const KernelModel& model, CacheState cache, Trace& trace) {
  require_tile(*layer.mapping);
  const EngineModel* const own = engine_model(model.resolved(), engine);
  if (own == nullptr) return std::nullopt;
  try {
    return dense_plan(layer, counts, *own, model.resolved(), cache, trace);
  } catch (const ImpossibleMapping& impossible) {
    fail_plan(impossible, model);
  } catch (const SmallSharedMemory& small) {
    fail_plan(small);
  } catch (const UnsuitedAlgorithm& unsuited) {
    fail_plan(unsuited, model);
  }
}

template <class Trace>
std::optional<KernelPlan> plan_in_own_type(const Layer& layer, const Counts& counts, Engine engine,
                                           const KernelModel& model, CacheState cache,
                                           Trace& trace) {
  if (layer.groups == 1) return plan_dense(layer, counts, engine, model, cache, trace);
  require_no_mapping(layer);
  return grouped_plan(layer, counts, engine, model.resolved(), cache, trace);
}

/// In the layer's own type, or in 16 bits where that is faster.
template <class Trace>
std::optional<KernelPlan> plan_contraction(const Layer& layer, const Counts& counts, Engine engine,
                                           const KernelModel& model, CacheState cache,
                                           Trace& trace) {
  if (const auto wider = in_16_bits(layer, engine, model.resolved())) {
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
                               const KernelModel& model, CacheState cache, Trace& trace) {
  const ResolvedModel& resolved = model.resolved();
  switch (info(layer.kind).family) {
    case KindFamily::free:
    case KindFamily::transfer: return std::nullopt;
    case KindFamily::attention:
      if (const EngineModel* const own = engine_model(resolved, engine))
        return attention_plan(layer, counts, *own, resolved, cache, trace);
      return std::nullopt;
    case KindFamily::contraction:
      return plan_contraction(layer, counts, engine, model, cache, trace);
    default: return streaming_plan(layer, counts, engine, resolved, cache, trace);
  }
}

}  // namespace

Expected<std::optional<KernelPlan>> plan_kernel(const Layer& layer, const Counts& counts,
                                                Engine engine, const KernelModel& model,
                                                CacheState cache) {
  return expected([&] {
    Planning trace;
    return plan(layer, counts, engine, model, cache, trace);
  });
}

Expected<std::vector<DerivationStep>> derive_kernel(const Layer& layer, const Counts& counts,
                                                    Engine engine, const KernelModel& model,
                                                    CacheState cache) {
  return expected([&] {
    Explaining trace(*model.resolved().constants);
    plan(layer, counts, engine, model, cache, trace);
    return trace.take();
  });
}

}  // namespace roofline
