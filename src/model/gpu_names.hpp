#pragma once

// GPU names of catalogues, drivers and people; and MIG slices, fractions of a GPU seen as GPUs.

#include <cstdint>
#include <optional>
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

/// At most `limit` GPUs meant by a wrong name: those with the fewest differing letters, or with a
/// name which begins with it or is a prefix of it. `parts`: the names of each GPU.
std::vector<std::string> nearest_gpu_names(std::string_view wrong,
                                           std::span<const std::vector<std::string>> parts,
                                           std::size_t limit);

/// Short names of the GPUs with a chip as compilers name it: "gfx942", "sm_90".
std::vector<std::string> gpus_with_chip(std::string_view chip, std::span<const Gpu> gpus);

/// A driver's name of a MIG slice, parsed: "H100 80GB HBM3 MIG 1g.10gb".
struct MigName {
  std::string part;
  std::uint64_t gigabytes = 0;
  std::uint64_t compute_slices = 0;
};

/// nullopt for names of another form. Does not check whether the GPU or slice exists.
std::optional<MigName> parse_mig_name(std::string_view name);

/// The slice of `whole` named `name`: the SMs listed by NVIDIA's driver, else NVIDIA's published
/// fraction, and its memory slices' share of memory, bandwidth and L2. It has no power limit and no
/// sustained ceilings, which belong to the whole. Throws InputError if the GPU has no such slice.
Gpu mig_slice(const Gpu& whole, const MigName& name);

}  // namespace roofline
