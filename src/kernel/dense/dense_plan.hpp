#pragma once

// Entry point of the dense contractions: convolutions of one group, linear layers and matrix
// products. On top of its kernels a layer takes DRAM, which they overlap with, copies between
// layouts and its launches.

#include "kernel/dense/dense_kernel.hpp"
#include "roofline/kernel.hpp"

namespace roofline {

/// Where and how fast a library (or the mapping that the layer states) runs the layer's pass.
/// Throws ImpossibleMapping, SmallSharedMemory or UnsuitedAlgorithm for a stated mapping that
/// cannot run.
template <class Trace>
KernelPlan dense_plan(const Layer& layer, const Counts& counts, const EngineModel& engine,
                      const ResolvedModel& model, CacheState cache, Trace& trace);

}  // namespace roofline
