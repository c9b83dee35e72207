#pragma once

// How each family of layers is planned, in the file of its name.

#include <optional>
#include <vector>

#include "kernel/throughput_kernel.hpp"

namespace roofline {

/// What is planned, on which machine.
struct PlanRequest {
  const Layer& layer;
  const Counts& counts;
  Engine engine;
  const ResolvedModel& model;
  CacheState cache;

  /// None where the part lacks the engine.
  const EngineModel* own_engine() const { return engine_model(model, engine); }
};

/// Where and how fast a library (or the mapping that the layer states) runs the layer's pass, on an
/// engine that the part has. Throws an InputError for a stated mapping that cannot run.
template <class Trace>
KernelPlan dense_plan(const PlanRequest& request, Trace& trace);

/// The same of a convolution on one of the library's solvers; none where none of them runs it.
template <class Trace>
std::optional<KernelPlan> solver_plan(const PlanRequest& request, Trace& trace);

/// Kernels that run one after the other.
template <class Trace>
using Works = std::vector<ThroughputWork<NumberOf<Trace>>>;

template <class Trace>
Works<Trace> grouped_works(const PlanRequest& request, const MachineRates<NumberOf<Trace>>& rates,
                           Trace& trace);

template <class Trace>
Works<Trace> streaming_works(const PlanRequest& request, const MachineRates<NumberOf<Trace>>& rates,
                             Trace& trace);

/// On an engine that the part has.
template <class Trace>
Works<Trace> attention_works(const PlanRequest& request, const MachineRates<NumberOf<Trace>>& rates,
                             Trace& trace);

}  // namespace roofline
