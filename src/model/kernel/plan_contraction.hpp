#pragma once

// Entry point of the contraction kernel model: convolutions (dense), linear layers and matrix
// products.

#include <cstdint>

#include "model/kernel/given_mapping.hpp"
#include "model/kernel/resolved_model.hpp"
#include "roofline/counts.hpp"
#include "roofline/kernel.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// Where and how fast a library (or the mapping that the layer states) runs the layer's pass.
/// Never allocates. Throws ImpossibleMapping or UnsuitedAlgorithm for a stated mapping that cannot
/// run.
///
/// limiter_share: the expected time is cut into parts that add up to it: launches; if DRAM needs
/// longer than the kernel, dram (layout copies too); else useful arithmetic (math), arithmetic on
/// padding (tile_padding), L2 time beyond the arithmetic (l2), idle SMs (last_wave) and the rest,
/// latency. The limiter is the largest part, its share part / whole.
KernelPlan plan_contraction(const Layer& layer, const Counts& counts, const ResolvedModel& model,
                            const EngineModel& engine, CacheState cache);

}  // namespace roofline
