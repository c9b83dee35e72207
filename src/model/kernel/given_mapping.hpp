#pragma once

// A kernel mapping as a user states it: the parts that are missing, and whether an SM can hold it.
//
// Unstated parts: threads so that each holds 64 results (tensor cores: 128), 32 to 512; registers
// for those results, 64-bit ones twice, and 40 more; two stages; shared memory stages * (m + n) * k
// * bytes, of a direct convolution that of the patch under m outputs and its weights.
//
// On vector units a stated tile has its own operand loads: each thread makes a square of outputs
// and reads its rows and columns from shared memory, 32 banks of 4 byte a clock (CUDA C++
// Programming Guide, "Shared Memory"; AMD's and Intel's local memories are as wide). With one
// output a thread, two reads an FMA bound a V100 at a quarter of its peak.

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

/// Shared memory stated below what the stated tile's pipeline holds.
struct SmallSharedMemory {
  std::uint64_t needed;
  std::uint64_t stated;
};

/// A stated algorithm that the layer does not allow.
struct UnsuitedAlgorithm {
  Algorithm algorithm;
};

/// The stated tile with its missing parts filled in. Requires mapping.tile.
TileKernel complete_tile(const KernelMapping& mapping, double element_byte, bool tensor);

/// Its time. Throws ImpossibleMapping or SmallSharedMemory.
GemmTime given_gemm(const KernelMapping& mapping, const Machine& machine, GemmWork work,
                    bool tensor);

/// Of the operands that `outputs` neighbouring outputs multiply, the share that differ: the patch
/// under a square of outputs serves all taps.
double patch_share(const Contraction& x, double outputs);

}  // namespace roofline
