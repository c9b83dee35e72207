#pragma once

// The GPUs and networks that come with the program, found by name without parsing the others.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/gpu.hpp"

namespace roofline {

/// A file embedded at build time.
struct EmbeddedFile {
  std::string_view name;                    ///< file name without extension
  std::span<const std::string_view> names;  ///< the GPU's own name and aliases; empty for networks
  std::string_view text;
};

std::span<const EmbeddedFile> embedded_gpus();
std::span<const EmbeddedFile> embedded_networks();

/// A GPU by name or alias, as a catalogue, a driver or a person writes it ("NVIDIA A100-SXM4-80GB",
/// "a100 80gb sxm4"), or by the path of a file. Throws InputError where the file is
/// wrong and UsageError, with the nearest names, where there is none.
Gpu find_gpu(const std::string& name_or_path);

/// Every GPU of the catalogue, by name.
std::vector<Gpu> all_gpus();

/// The built-in networks, a name a line.
std::string network_names();

/// Text of a built-in network; none where there is no such name.
std::optional<std::string_view> find_network(std::string_view name);

}  // namespace roofline
