#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/kernel_work.hpp"
#include "kernel/problem.hpp"

namespace roofline {

struct PlanRequest {
  const Layer& layer;
  const Counts& counts;
  Engine engine;
  const ResolvedModel& model;
  CacheState cache;
  Problem problem = problem_of(layer, counts);

  /// Null if the GPU lacks the engine.
  const EngineModel* own_engine() const { return engine_model(model, engine); }
};

/// A block's tile, and how `blocks` fill the SMs with so many resident on each.
inline void describe_blocks(KernelPlan& plan, const TileKernel& tile, double split, double blocks,
                            double resident, double sm_count) {
  plan.tile = {tile.m, tile.n, tile.k};
  plan.threads = tile.threads;
  plan.split_k = static_cast<std::uint64_t>(split);
  plan.blocks = static_cast<std::uint64_t>(blocks);
  plan.resident_blocks_per_sm = static_cast<std::uint64_t>(resident);
  plan.waves = blocks / (sm_count * resident);
}

/// A library's kernel or the stated mapping; nullopt if the layer has none of the stated algorithm.
/// Throws InputError for an impossible mapping.
template <class Number>
std::optional<KernelPlan> dense_plan(const PlanRequest& request, Eval<Number>& eval);

/// On one of the library's solvers, of the stated algorithm; nullopt if no solver runs it.
template <class Number>
std::optional<KernelPlan> solver_plan(const PlanRequest& request, Eval<Number>& eval);

/// On an engine of the GPU.
template <class Number>
KernelPlan recurrent_plan(const PlanRequest& request, Eval<Number>& eval);

/// On an engine of the GPU.
template <class Number>
KernelPlan deformable_plan(const PlanRequest& request, Eval<Number>& eval);

/// Kernels in sequence.
template <class Number>
using Works = std::vector<KernelWork<Number>>;

template <class Number>
Works<Number> grouped_works(const PlanRequest& request, const MachineRates<Number>& rates,
                            Eval<Number>& eval);

template <class Number>
Works<Number> streaming_works(const PlanRequest& request, const MachineRates<Number>& rates,
                              Eval<Number>& eval);

/// On an engine of the GPU.
template <class Number>
Works<Number> attention_works(const PlanRequest& request, const MachineRates<Number>& rates,
                              Eval<Number>& eval);

}  // namespace roofline
