#pragma once

// Names of GPUs, as catalogues, drivers and people write them, and MIG slices, which a program sees
// as a GPU: fractions of the part.

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

/// Its words in lower case with blanks between them.
std::string gpu_name_words(std::string_view name);

/// The parts that a wrong name may mean, at most `limit`: those in whose names as few letters
/// differ as in any, or which begin with it or it with them. `parts` holds the names of each part.
std::vector<std::string> nearest_gpu_names(std::string_view wrong,
                                           std::span<const std::vector<std::string>> parts,
                                           std::size_t limit);

/// What a driver's name of a MIG slice says: "H100 80GB HBM3 MIG 1g.10gb".
struct MigName {
  std::string part;
  std::uint64_t gigabytes = 0;
  std::uint64_t compute_slices = 0;
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
