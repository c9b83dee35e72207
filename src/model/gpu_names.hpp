#pragma once

// Names of GPUs, as catalogues, drivers and people write them.

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

}  // namespace roofline
