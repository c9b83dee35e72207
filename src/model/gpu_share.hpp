#pragma once

// Shares of a GPU that a program sees as a GPU: MIG slices and virtual GPUs, as fractions of the
// part.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "roofline/gpu.hpp"

namespace roofline {

/// What a driver's name of a share of a part says of it: of a MIG slice ("H100 80GB HBM3 MIG
/// 1g.10gb"), of a compute instance in one ("A100-SXM4-40GB MIG 1c.3g.20gb"), or of NVIDIA's
/// virtual GPUs, which have all SMs in turn with others ("A10-12Q") or are a slice
/// ("GRID A100X-3-20C").
struct ShareName {
  std::string part;
  std::uint64_t gigabytes = 0;
  std::uint64_t compute_slices = 0;   ///< MIG's; 0: all SMs, in turn with others
  std::uint64_t instance_slices = 0;  ///< those of a compute instance in them; 0: all
};

/// The name taken apart; nothing where it has another form. Whether there is such a part or slice
/// is not asked.
std::optional<ShareName> parse_share_name(std::string_view name);

/// The share of `whole` that `name` means. A MIG slice has the SMs that NVIDIA's driver lists for
/// it, else NVIDIA's published fraction of them, and its memory slices' part of the memory, the
/// bandwidth and the L2; the power limit and the sustained ceilings are the whole's, so it has
/// none. A virtual GPU that takes turns has all but part of the memory. Throws an InputError where
/// the part has no such share.
Gpu share_of_gpu(const Gpu& whole, const ShareName& name);

}  // namespace roofline
