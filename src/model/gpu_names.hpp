#pragma once

// Names of GPUs, as catalogues, drivers and people write them.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/gpu.hpp"

namespace roofline {

/// The form in which names are compared. Case, punctuation and the maker do not count, nor does the
/// place of the memory size and the board: "NVIDIA A100 80GB PCIe" is "A100-PCIE-80GB".
std::string normal_gpu_name(std::string_view name);

/// Whether the GPU or one of its aliases is called so.
bool answers_to(const Gpu& gpu, std::string_view name);

/// What the name of a share of a part says of it: of a MIG slice ("H100 80GB HBM3 MIG 1g.10gb"), of
/// a compute instance in one ("A100-SXM4-40GB MIG 1c.3g.20gb"), or of NVIDIA's virtual GPUs, which
/// have all SMs in turn with others ("A10-12Q") or are a slice ("GRID A100X-3-20C").
struct ShareName {
  std::string part;
  std::uint64_t gigabytes = 0;
  std::uint64_t compute_slices = 0;   ///< of MIG; 0: all SMs, in turn with others
  std::uint64_t instance_slices = 0;  ///< of these, those of a compute instance; 0: all
};

/// None where the name is not of this form; whether there is such a part or slice is not asked.
std::optional<ShareName> parse_share_name(std::string_view name);

/// The first names of the parts that a wrong name may mean, nearest first, at most `limit`. Series
/// and number count first, then what follows them, then memory size and board. `parts` holds the
/// names of each part.
std::vector<std::string> nearest_gpu_names(std::string_view wrong,
                                           std::span<const std::vector<std::string>> parts,
                                           std::size_t limit);

}  // namespace roofline
