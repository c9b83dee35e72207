#pragma once

// A kernel mapping as a user states it: the parts that are missing, and whether an SM can hold it.
//
// Unstated parts: threads so that each holds 64 results (tensor cores: 128), 32 to 512; registers
// for those results, 64-bit ones twice, and 40 more; two stages; shared memory stages * (m + n) * k
// * bytes.

#include <cstdint>

#include "model/kernel/gemm_kernel.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// A stated mapping that no SM of the GPU can run: `limit` is exceeded by needed - available.
struct ImpossibleMapping {
  OccupancyLimit limit;
  std::uint64_t needed;
  std::uint64_t available;
};

/// A stated algorithm that the layer does not allow.
struct UnsuitedAlgorithm {
  Algorithm algorithm;
};

/// The stated tile with its missing parts filled in. Requires mapping.tile.
TileKernel complete_tile(const KernelMapping& mapping, double element_byte, bool tensor);

/// Its time. Throws ImpossibleMapping.
GemmTime given_gemm(const KernelMapping& mapping, const SmLimits& sm, const GemmWork& work,
                    bool tensor);

}  // namespace roofline
