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
template <class Eval>
KernelPlan dense_plan(const PlanRequest& request, Eval& eval);

/// On one of the library's solvers; nullopt if no solver runs it.
template <class Eval>
std::optional<KernelPlan> solver_plan(const PlanRequest& request, Eval& eval);

/// Kernels in sequence.
template <class Eval>
using Works = std::vector<ThroughputWork<NumberOf<Eval>>>;

template <class Eval>
Works<Eval> grouped_works(const PlanRequest& request, const MachineRates<NumberOf<Eval>>& rates,
                          Eval& eval);

template <class Eval>
Works<Eval> streaming_works(const PlanRequest& request, const MachineRates<NumberOf<Eval>>& rates,
                            Eval& eval);

/// On an engine of the GPU.
template <class Eval>
Works<Eval> attention_works(const PlanRequest& request, const MachineRates<NumberOf<Eval>>& rates,
                            Eval& eval);

}  // namespace roofline
