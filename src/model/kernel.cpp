#include "roofline/kernel.hpp"

#include "model/kernel/depthwise_kernel.hpp"
#include "model/kernel/elementwise_kernel.hpp"
#include "model/kernel/given_mapping.hpp"
#include "model/kernel/plan_contraction.hpp"
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

/// What stands beside a tile says nothing without one.
void require_tile(const KernelMapping& mapping) {
  const bool has_parts = mapping.split_k || mapping.threads || mapping.stages ||
                         mapping.registers || mapping.shared_memory_byte;
  if (has_parts && !mapping.tile)
    throw InputError("", "", "expected a tile [m, n, k] beside the rest of the mapping, got none");
}

std::optional<KernelPlan> plan_dense(const Layer& layer, const Counts& counts, Engine engine,
                                     const KernelModel& model, CacheState cache) {
  require_tile(layer.mapping);
  const std::optional<EngineModel>& resolved = engine_model(model.resolved(), engine);
  if (!resolved) return std::nullopt;
  try {
    return plan_of(contraction_kernel(layer, counts, model.resolved(), *resolved, cache),
                   model.resolved().machine);
  } catch (const ImpossibleMapping& impossible) {
    fail(impossible, model);
  } catch (const UnsuitedAlgorithm& unsuited) {
    fail(unsuited, model);
  }
}

}  // namespace

std::optional<KernelPlan> plan_kernel(const Layer& layer, const Counts& counts, Engine engine,
                                      const KernelModel& model, CacheState cache) {
  switch (info(layer.kind).family) {
    case KindFamily::free:
    case KindFamily::transfer: return std::nullopt;
    case KindFamily::contraction:
      if (layer.groups == 1) return plan_dense(layer, counts, engine, model, cache);
      if (layer.mapping != KernelMapping{})
        throw InputError("", "",
                         "expected a kernel mapping only where there is one group, got " +
                             std::to_string(layer.groups) + " groups");
      return plan_of(grouped_kernel(layer, counts, engine, model.resolved(), cache),
                     model.resolved().machine);
    default:
      return plan_of(streaming_kernel(layer, counts, engine, model.resolved(), cache),
                     model.resolved().machine);
  }
}

}  // namespace roofline
