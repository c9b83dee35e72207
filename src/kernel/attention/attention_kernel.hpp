#pragma once

// Fused attention: a block keeps 128 queries of a head and walks the keys in steps of 128
// (backward: 128 keys, walking the queries). Scores never leave the SM, so it moves only its
// operands. A single query of a head is a read of its keys and values: only bytes count.

#include "kernel/throughput_kernel.hpp"

namespace roofline {

template <class Trace>
KernelPlan attention_plan(const Layer& layer, const Counts& counts, const EngineModel& engine,
                          const ResolvedModel& model, CacheState cache, Trace& trace);

}  // namespace roofline
