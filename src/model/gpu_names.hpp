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

/// Its words in lower case with blanks between them; without those that say who makes a part or
/// what it is for unless `with_maker`.
std::string gpu_name_words(std::string_view name, bool with_maker);

/// The first names of the parts that a wrong name may mean, nearest first, at most `limit`. Series
/// and number count first, then what follows them, then memory size and board. `parts` holds the
/// names of each part.
std::vector<std::string> nearest_gpu_names(std::string_view wrong,
                                           std::span<const std::vector<std::string>> parts,
                                           std::size_t limit);

}  // namespace roofline
