#pragma once

// The derivations of the two kinds of kernels. They print what the kernel's time was computed of,
// and compute nothing that enters a plan.

#include "model/kernel/derivation_writer.hpp"
#include "model/kernel/plan_contraction.hpp"
#include "model/kernel/throughput_kernel.hpp"

namespace roofline {

std::vector<DerivationStep> derive(const ContractionKernel& kernel, const ResolvedModel& model,
                                   const EngineModel& engine, CacheState cache);

/// `counts` and `engine`: of the layer.
std::vector<DerivationStep> derive(const ThroughputKernel& kernel, const Counts& counts,
                                   const ResolvedModel& model, Engine engine, CacheState cache);

/// Bytes of device memory and L2.
void derive_traffic(DerivationWriter& writer, const Streams& streams, const Traffic& traffic,
                    const MemorySystem& memory, CacheState cache, double reread_l2_byte);
/// What DRAM sustains.
void derive_bandwidth(DerivationWriter& writer, const MemorySystem& memory);

}  // namespace roofline
