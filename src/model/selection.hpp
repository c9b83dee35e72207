#pragma once

// What a word selects: layers and constants by patterns of their names, and GPUs by what they are.
//
//   selection = [what] {limit}     "all", "nvidia", "hopper", ">=48GB", "nvidia>=48GB<=350W"
//   what      = "all", a maker or an architecture; without it all
//   limit     = (">=" | "<=" | ">" | "<" | "=") number ("GB" | "W" | "GB/s")
//
// GB is the memory, W the TDP and GB/s the bandwidth; a part that does not state one meets no limit
// of it. Case does not count.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/gpu.hpp"

namespace roofline {

/// The GPUs that the word selects; nothing for a word that has no limit and is neither "all"
/// nor a maker or an architecture of any of them. Throws InputError for limits that cannot be read
/// and where none is selected.
std::optional<std::vector<Gpu>> selected_gpus(const std::string& word, std::vector<Gpu> gpus);

/// "all", the makers and the architectures.
std::vector<std::string> selecting_words(const std::vector<Gpu>& gpus);

/// Whether the whole text fits the pattern, in which * stands for any characters and ? for one.
bool fits_pattern(std::string_view text, std::string_view pattern);

}  // namespace roofline
