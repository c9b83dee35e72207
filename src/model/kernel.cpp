#include "roofline/kernel.hpp"

#include "model/expected.hpp"
#include "model/kernel/attention_kernel.hpp"
#include "model/kernel/depthwise_kernel.hpp"
#include "model/kernel/derive.hpp"
#include "model/kernel/elementwise_kernel.hpp"
#include "model/kernel/given_mapping.hpp"
#include "model/kernel/plan_contraction.hpp"
#include "roofline/derivation.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

[[noreturn]] void fail(const ImpossibleMapping& impossible, const KernelModel& model) {
  throw InputError("", "",
                   "expected a mapping that " + model.gpu() + " can run, got " +
                       std::to_string(impossible.needed) + " " +
                       std::string(name_of(impossible.limit)) + " where it has " +
                       std::to_string(impossible.available) + ": " +
                       std::to_string(impossible.needed - impossible.available) + " too many");
}

[[noreturn]] void fail(const UnsuitedAlgorithm& unsuited, const KernelModel& model) {
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

[[noreturn]] void fail(const SmallSharedMemory& small) {
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

/// Makes the layer's kernel, of whichever kind, and returns what `use` makes of it; else `none`.
template <class Result, class UseContraction, class UseThroughput>
Result with_kernel(const Layer& layer, const Counts& counts, Engine engine,
                   const KernelModel& model, CacheState cache, Result none,
                   const UseContraction& use_contraction, const UseThroughput& use_throughput) {
  const ResolvedModel& resolved = model.resolved();
  const KindFamily family = info(layer.kind).family;
  if (family == KindFamily::free || family == KindFamily::transfer) return none;
  if (family == KindFamily::attention) {
    if (!engine_model(resolved, engine)) return none;
    return use_throughput(attention_kernel(layer, counts, engine, resolved, cache));
  }
  if (family != KindFamily::contraction)
    return use_throughput(streaming_kernel(layer, counts, engine, resolved, cache));
  if (layer.groups > 1) {
    require_no_mapping(layer);
    return use_throughput(grouped_kernel(layer, counts, engine, resolved, cache));
  }
  require_tile(layer.mapping);
  const std::optional<EngineModel>& own = engine_model(resolved, engine);
  if (!own) return none;
  try {
    return use_contraction(contraction_kernel(layer, counts, resolved, *own, cache), *own);
  } catch (const ImpossibleMapping& impossible) {
    fail(impossible, model);
  } catch (const SmallSharedMemory& small) {
    fail(small);
  } catch (const UnsuitedAlgorithm& unsuited) {
    fail(unsuited, model);
  }
}

}  // namespace

Expected<std::optional<KernelPlan>> plan_kernel(const Layer& layer, const Counts& counts,
                                                Engine engine, const KernelModel& model,
                                                CacheState cache) {
  return expected([&] {
    const Machine& machine = model.resolved().machine;
    return with_kernel(
        layer, counts, engine, model, cache, std::optional<KernelPlan>(),
        [&](const ContractionKernel& kernel, const EngineModel&) {
          return std::optional(plan_of(kernel, machine));
        },
        [&](const ThroughputKernel& kernel) { return std::optional(plan_of(kernel, machine)); });
  });
}

Expected<std::vector<DerivationStep>> derive_kernel(const Layer& layer, const Counts& counts,
                                                    Engine engine, const KernelModel& model,
                                                    CacheState cache) {
  return expected([&] {
    const ResolvedModel& resolved = model.resolved();
    return with_kernel(
        layer, counts, engine, model, cache, std::vector<DerivationStep>(),
        [&](const ContractionKernel& kernel, const EngineModel& own) {
          return derive(kernel, resolved, own, cache);
        },
        [&](const ThroughputKernel& kernel) {
          return derive(kernel, counts, resolved, engine, cache);
        });
  });
}

}  // namespace roofline
