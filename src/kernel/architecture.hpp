#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "roofline/enumeration.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

/// GPUs which behave alike: the one place which tells them apart.
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

struct ArchitectureInfo {
  std::string_view name;
  std::string_view vendor;
  /// Case-insensitive prefixes of Gpu::architecture: "CDNA 2" and "CDNA3" are CDNA. Empty: unused.
  std::array<std::string_view, 3> prefixes;
  std::uint32_t first_capability = 0;  ///< major * 10 + minor; the range ends where the next begins
  std::uint32_t usual_capability = 0;  ///< for a GPU which states none
};

/// NVIDIA's compute capabilities: CUDA C++ Programming Guide. AMD and Intel have none (0).
constexpr ArchitectureInfo info(Architecture architecture) {
  switch (architecture) {
    case Architecture::kepler: return {"Kepler", "NVIDIA", {"Kepler"}, 30, 35};
    case Architecture::maxwell: return {"Maxwell", "NVIDIA", {"Maxwell"}, 50, 52};
    case Architecture::pascal: return {"Pascal", "NVIDIA", {"Pascal"}, 60, 61};
    case Architecture::volta: return {"Volta", "NVIDIA", {"Volta"}, 70, 70};
    case Architecture::turing: return {"Turing", "NVIDIA", {"Turing"}, 75, 75};
    case Architecture::ampere: return {"Ampere", "NVIDIA", {"Ampere"}, 80, 80};
    case Architecture::ada: return {"Ada", "NVIDIA", {"Ada"}, 89, 89};
    case Architecture::hopper: return {"Hopper", "NVIDIA", {"Hopper"}, 90, 90};
    case Architecture::blackwell: return {"Blackwell", "NVIDIA", {"Blackwell"}, 100, 100};
    case Architecture::gcn: return {"GCN", "AMD", {"GCN", "Vega", "Polaris"}, 0, 0};
    case Architecture::rdna: return {"RDNA", "AMD", {"RDNA"}, 0, 0};
    case Architecture::cdna: return {"CDNA", "AMD", {"CDNA"}, 0, 0};
    case Architecture::xe: return {"Xe", "Intel", {"Xe"}, 0, 0};
  }
  return {};
}

constexpr std::string_view name_of(Architecture architecture) { return info(architecture).name; }

/// "7.5" -> 75, "12.0" -> 120; 0 for other text ("gfx900").
std::uint32_t parse_capability(std::string_view text);

/// From the file's compute capability, else its architecture's name; nullopt if neither is known.
std::optional<Architecture> stated_architecture(const Gpu& gpu);

/// stated_architecture(), else the newest measured one (AMD: the newest of AMD's).
Architecture architecture_of(const Gpu& gpu);

}  // namespace roofline
