#pragma once

// MIG slices of a GPU, which a program sees as a GPU: fractions of the part.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "roofline/gpu.hpp"

namespace roofline {

/// What a driver's name of a MIG slice ("H100 80GB HBM3 MIG 1g.10gb") or of a compute instance in
/// one ("A100-SXM4-40GB MIG 1c.3g.20gb") says.
struct MigName {
  std::string part;
  std::uint64_t gigabytes = 0;
  std::uint64_t compute_slices = 0;
  std::uint64_t instance_slices = 0;  ///< those of a compute instance in them; 0: all
};

/// The name taken apart; nothing where it has another form. Whether there is such a part or slice
/// is not asked.
std::optional<MigName> parse_mig_name(std::string_view name);

/// The slice of `whole` that `name` means. It has the SMs that NVIDIA's driver lists for it, else
/// NVIDIA's published fraction of them, and its memory slices' part of the memory, the bandwidth
/// and the L2; the power limit and the sustained ceilings are the whole's, so it has none. Throws
/// an InputError where the part has no such slice.
Gpu mig_slice(const Gpu& whole, const MigName& name);

}  // namespace roofline
