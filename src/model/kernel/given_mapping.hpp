#pragma once

// A kernel mapping as a user states it: the parts that are missing, and whether an SM can hold it.
//
// Unstated parts: threads so that each holds 64 results (tensor cores: 128), 32 to 512; registers
// for those results, 64-bit ones twice, and 40 more; two stages; shared memory stages * (m + n) * k
// * bytes.

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/kernel/gemm_kernel.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// A stated mapping that no SM of the GPU can run: `resource` (static text) is exceeded by
/// needed - available. An algorithm that the layer does not allow has needed == available == 0.
struct ImpossibleMapping {
  std::string_view resource;
  std::uint64_t needed;
  std::uint64_t available;
};

/// The stated tile with its missing parts filled in. Requires mapping.tile.
TileKernel complete_tile(const KernelMapping& mapping, double element_byte, bool tensor);

/// Its time. Throws ImpossibleMapping.
GemmTime given_gemm(const KernelMapping& mapping, const SmLimits& sm, const GemmWork& work,
                    bool tensor);

}  // namespace roofline
