#pragma once

// Entry point of the contraction kernel model: convolutions (dense), linear layers and matrix
// products. On top of its kernels a layer takes its launches, copies between layouts, and DRAM:
//
//   time   overlapped(kernels, DRAM) + copies + launches

#include "model/kernel/dense_parts.hpp"
#include "model/kernel/memory_traffic.hpp"
#include "roofline/counts.hpp"
#include "roofline/kernel.hpp"

namespace roofline {

struct ContractionTime {
  double flop_s = 0;  ///< the layer's own FLOP at the engine's sustained rate
  Traffic traffic;
  double dram_byte = 0;  ///< that the time counts
  double dram_s = 0;
  double kernel_weight =
      1;  ///< share of the kernels' time that counts: 1, or what does not overlap
  double dram_weight = 1;
  double copied_element = 0;  ///< between layouts, around the kernel
  double copy_s = 0;
  double first_start_s = 0;  ///< beyond that of an empty kernel
  double first_launch_s = 0;
  double copy_launch_s = 0;
  double kernels = 1;
};

struct ContractionKernel {
  Contraction x;
  DenseKernel dense;
  ContractionTime time;
};

template <class Parts>
Parts parts_of(const ContractionKernel& kernel) {
  const ContractionTime& time = kernel.time;
  Parts parts;
  add_kernels(parts, kernel.dense, time.flop_s);
  parts.scale(time.kernel_weight);
  parts.add(Limiter::dram, time.dram_weight * time.dram_s,
            [&] { return expression(time.dram_s, Times{time.dram_weight}); });
  add_part(parts, Limiter::instructions, time.copy_s);
  add_part(parts, Limiter::launch, time.copy_launch_s);
  add_part(parts, Limiter::launch, time.first_launch_s);
  return parts;
}

/// Where and how fast a library (or the mapping that the layer states) runs the layer's pass.
/// Never allocates. Throws ImpossibleMapping or UnsuitedAlgorithm for a stated mapping that cannot
/// run.
ContractionKernel contraction_kernel(const Layer& layer, const Counts& counts,
                                     const ResolvedModel& model, const EngineModel& engine,
                                     CacheState cache);

KernelPlan plan_of(const ContractionKernel& kernel, const Machine& machine);

}  // namespace roofline
