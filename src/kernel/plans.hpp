#pragma once

// How each family of layers is planned, in the file of its name.

#include "kernel/formula.hpp"
#include "kernel/resolved_model.hpp"
#include "roofline/kernel.hpp"

namespace roofline {

/// Where and how fast a library (or the mapping that the layer states) runs the layer's pass.
/// Throws an InputError for a stated mapping that cannot run.
template <class Trace>
KernelPlan dense_plan(const Layer& layer, const Counts& counts, const EngineModel& engine,
                      const ResolvedModel& model, CacheState cache, Trace& trace);

template <class Trace>
KernelPlan grouped_plan(const Layer& layer, const Counts& counts, Engine engine,
                        const ResolvedModel& model, CacheState cache, Trace& trace);

template <class Trace>
KernelPlan streaming_plan(const Layer& layer, const Counts& counts, Engine engine,
                          const ResolvedModel& model, CacheState cache, Trace& trace);

template <class Trace>
KernelPlan attention_plan(const Layer& layer, const Counts& counts, const EngineModel& engine,
                          const ResolvedModel& model, CacheState cache, Trace& trace);

}  // namespace roofline
