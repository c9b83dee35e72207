#pragma once

// Planners of layer families, each in the file of its name.

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

/// The plan of a library's kernel, or of the stated mapping, on an engine of the GPU. Throws
/// InputError for a stated mapping which cannot run.
template <class Trace>
KernelPlan dense_plan(const PlanRequest& request, Trace& trace);

/// The plan of a convolution on one of the library's solvers; nullopt if no solver runs it.
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
