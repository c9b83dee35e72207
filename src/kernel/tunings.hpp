#pragma once

// The kernel that a library's heuristic picks, beside the fastest one.

#include "kernel/constants.hpp"
#include "roofline/gpu.hpp"
#include "roofline/kernel.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// Whether the heuristic picks the kernel that is planned as the fastest, so that as_picked() of
/// this plan is the heuristic's. `layer`: a convolution, whatever its kernels' source.
bool heuristic_picks_fastest(const Layer& layer, Engine engine);

/// The plan in the time that kernels picked by the heuristic were measured to take.
KernelPlan as_picked(KernelPlan fastest, const LayerErrors& picked);

}  // namespace roofline
