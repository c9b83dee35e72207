#pragma once

// Architectures: which GPUs behave alike. The one place that tells them apart.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "roofline/gpu.hpp"

namespace roofline {

enum class Architecture : std::uint8_t {
  kepler,
  maxwell,
  pascal,
  volta,
  turing,
  ampere,
  ada,
  hopper,
  blackwell,
  gcn,
  rdna,
  cdna,
  xe,
};
inline constexpr std::size_t architecture_count = static_cast<std::size_t>(Architecture::xe) + 1;

struct ArchitectureInfo {
  std::string_view name;
  std::string_view vendor;
  /// What Gpu::architecture begins with, any case: "CDNA 2" and "CDNA3" are CDNA. Empty: unused.
  std::array<std::string_view, 3> prefixes;
  std::uint32_t first_capability;  ///< major * 10 + minor; its range ends where the next one begins
  std::uint32_t usual_capability;  ///< of a part that states none
};

/// NVIDIA's compute capabilities: CUDA C++ Programming Guide. AMD and Intel have none (0).
inline constexpr std::array<ArchitectureInfo, architecture_count> architectures{{
    {"Kepler", "NVIDIA", {"Kepler"}, 30, 35},
    {"Maxwell", "NVIDIA", {"Maxwell"}, 50, 52},
    {"Pascal", "NVIDIA", {"Pascal"}, 60, 61},
    {"Volta", "NVIDIA", {"Volta"}, 70, 70},
    {"Turing", "NVIDIA", {"Turing"}, 75, 75},
    {"Ampere", "NVIDIA", {"Ampere"}, 80, 80},
    {"Ada", "NVIDIA", {"Ada"}, 89, 89},
    {"Hopper", "NVIDIA", {"Hopper"}, 90, 90},
    {"Blackwell", "NVIDIA", {"Blackwell"}, 100, 100},
    {"GCN", "AMD", {"GCN", "Vega", "Polaris"}, 0, 0},
    {"RDNA", "AMD", {"RDNA"}, 0, 0},
    {"CDNA", "AMD", {"CDNA"}, 0, 0},
    {"Xe", "Intel", {"Xe"}, 0, 0},
}};

constexpr const ArchitectureInfo& info(Architecture architecture) {
  return architectures[static_cast<std::size_t>(architecture)];
}

/// "7.5" -> 75, "12.0" -> 120; 0 for anything else ("gfx900").
std::uint32_t parse_capability(std::string_view text);

/// What the GPU's file says: by compute capability, else by name. None where neither is known.
std::optional<Architecture> stated_architecture(const Gpu& gpu);

/// The same; where it is not known, the newest that was measured (AMD: the newest of AMD's).
Architecture architecture_of(const Gpu& gpu);

}  // namespace roofline
