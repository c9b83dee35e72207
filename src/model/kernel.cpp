#include "roofline/kernel.hpp"

#include "model/kernel/depthwise_kernel.hpp"
#include "model/kernel/elementwise_kernel.hpp"
#include "model/kernel/plan_contraction.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

[[noreturn]] void fail(const ImpossibleMapping& impossible, const Gpu& gpu) {
  std::string message = "expected a mapping that " + gpu.name + " can run, got one with ";
  if (impossible.needed == 0)
    message += impossible.resource;
  else
    message += std::string(impossible.resource) + " " + std::to_string(impossible.needed) +
               " where it has " + std::to_string(impossible.available) + ", " +
               std::to_string(impossible.needed - impossible.available) + " too many";
  throw InputError("", "", message);
}

KernelPlan plan_dense(const Layer& layer, const Counts& counts, const Gpu& gpu, Engine engine,
                      CacheState cache) {
  try {
    return plan_contraction(layer, counts, gpu, engine, cache);
  } catch (const ImpossibleMapping& impossible) {
    fail(impossible, gpu);
  }
}

}  // namespace

std::optional<KernelPlan> plan_kernel(const Layer& layer, const Counts& counts, const Gpu& gpu,
                                      Engine engine, CacheState cache) {
  switch (info(layer.kind).family) {
    case KindFamily::free:
    case KindFamily::transfer: return std::nullopt;
    case KindFamily::contraction:
      if (layer.groups == 1) return plan_dense(layer, counts, gpu, engine, cache);
      if (layer.mapping != KernelMapping{})
        throw InputError("", "",
                         "expected a mapping for a convolution of one group, got " +
                             std::to_string(layer.groups) + " groups");
      return plan_grouped(layer, counts, gpu, cache);
    default: return plan_streaming(layer, counts, gpu, engine, cache);
  }
}

std::string_view name_of(Limiter limiter) {
  constexpr std::array<std::string_view, 8> names{"math",      "dram",    "l2",     "tile_padding",
                                                  "last_wave", "latency", "launch", "occupancy"};
  return names[static_cast<std::size_t>(limiter)];
}

}  // namespace roofline
