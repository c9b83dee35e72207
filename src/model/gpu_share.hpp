#pragma once

// Shares of a GPU that a program sees as a GPU: MIG slices and virtual GPUs, as fractions of the
// part.

#include "model/gpu_names.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

/// The share of `whole` that `name` means. A MIG slice has the SMs that NVIDIA's driver lists for
/// it, else NVIDIA's published fraction of them, and its memory slices' part of the memory, the
/// bandwidth and the L2; the power limit and the sustained ceilings are the whole's, so it has
/// none. A virtual GPU that takes turns has all but part of the memory. Throws an InputError where
/// the part has no such share.
Gpu share_of_gpu(const Gpu& whole, const ShareName& name);

}  // namespace roofline
