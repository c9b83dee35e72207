#pragma once

// Selections by words: layers and constants by patterns of names, GPUs by properties.
//
//   selection = [what] {limit}     "all", "nvidia", "hopper", ">=48GB", "nvidia>=48GB<=350W"
//   what      = "all", a maker or an architecture; default: all
//   limit     = (">=" | "<=" | ">" | "<" | "=") number ("GB" | "W" | "GB/s")
//
// GB is the memory, W the TDP and GB/s the bandwidth; a GPU without the value meets no limit on it.
// Case is ignored.

#include "roofline/gpu.hpp"

namespace roofline {

/// nullopt for a word without a limit which names no GPUs. Throws InputError for malformed limits
/// and for an empty selection.
std::optional<std::vector<Gpu>> selected_gpus(const std::string& word, std::vector<Gpu> gpus);

/// "all", the makers and the architectures.
std::vector<std::string> selecting_words(const std::vector<Gpu>& gpus);

/// Whether the whole text matches the pattern: * is any text, ? one character.
bool fits_pattern(std::string_view text, std::string_view pattern);

}  // namespace roofline
