#pragma once

// GPU names of catalogues, drivers and people.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/gpu.hpp"

namespace roofline {

/// The form for comparing names, without case, punctuation and maker, and with memory size and
/// board at the end: "NVIDIA A100 80GB PCIe" equals "A100-PCIE-80GB".
std::string normal_gpu_name(std::string_view name);

/// Normal forms of the GPU's name and aliases.
std::vector<std::string> normal_gpu_names(const Gpu& gpu);

bool answers_to(const Gpu& gpu, std::string_view name);

/// The words in lower case, separated by blanks.
std::string gpu_name_words(std::string_view name);

/// At most `limit` GPUs meant by a wrong name: of its series ("rtx40"), if there are any, those
/// with the fewest differing letters, or with a name which begins with it or is a prefix of it; the
/// nearest numbers first. `parts`: the names of each GPU.
std::vector<std::string> nearest_gpu_names(std::string_view wrong,
                                           std::span<const std::vector<std::string>> parts,
                                           std::size_t limit);

/// Short names of the GPUs with a chip as compilers name it: "gfx942", "sm_90".
std::vector<std::string> gpus_with_chip(std::string_view chip, std::span<const Gpu> gpus);

}  // namespace roofline
