#pragma once

#include <optional>
#include <vector>

#include "kernel/throughput_kernel.hpp"

namespace roofline {

struct PlanRequest {
  const Layer& layer;
  const Counts& counts;
  Engine engine;
  const ResolvedModel& model;
  CacheState cache;

  /// Null if the GPU lacks the engine.
  const EngineModel* own_engine() const { return engine_model(model, engine); }
};

/// A library's kernel or the stated mapping. Throws InputError for an impossible mapping.
template <class Trace>
KernelPlan dense_plan(const PlanRequest& request, Trace& trace);

/// On one of the library's solvers; nullopt if no solver runs it.
template <class Trace>
std::optional<KernelPlan> solver_plan(const PlanRequest& request, Trace& trace);

/// Kernels in sequence.
template <class Trace>
using Works = std::vector<ThroughputWork<NumberOf<Trace>>>;

template <class Trace>
Works<Trace> grouped_works(const PlanRequest& request, const MachineRates<NumberOf<Trace>>& rates,
                           Trace& trace);

template <class Trace>
Works<Trace> streaming_works(const PlanRequest& request, const MachineRates<NumberOf<Trace>>& rates,
                             Trace& trace);

/// On an engine of the GPU.
template <class Trace>
Works<Trace> attention_works(const PlanRequest& request, const MachineRates<NumberOf<Trace>>& rates,
                             Trace& trace);

}  // namespace roofline
