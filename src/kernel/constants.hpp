#pragma once

// The constants of the kernel model: what the formulas of this folder take from measurement rather
// than from a datasheet. constant_values.hpp holds them as plain numbers in groups. The build makes
// it, and the table of constant_fields.hpp, from configs/schemas/kernel_model.json, which says what
// each constant is; files (configs/kernels) hold their values, one file a library and architecture.
//
// "Clocks" are SM clocks of one SM: with 132 SMs busy, 132 elements of one clock each take one
// clock together. "Round trips" are dependent accesses to memory, priced by MemorySystem.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/constant_values.hpp"
#include "kernel/engine_facts.hpp"
#include "kernel/measured_errors.hpp"
#include "roofline/enumeration.hpp"

namespace roofline {

/// How many constants there are: nothing else is among them.
inline constexpr std::size_t constant_count = sizeof(ConstantValues) / sizeof(double);

/// What a library's dense kernels can do, by class of engines.
struct LibraryFeatures {
  bool split_k = false;             ///< forward and data gradient too; weight gradients always may
  bool scatter = false;             ///< data gradients by atomics (cuDNN's algorithm 0)
  bool skips_empty_phases = false;  ///< of strided data gradients: phases that meet no tap
  bool unaligned_products = false;  ///< pointwise layers of any channels run without copies
  bool pads_gathered = false;       ///< few channels are padded to 8, no further
  bool converts_wgrad = false;  ///< weight gradients are summed in fp32 in memory, and converted
  bool winograd = false;        ///< in forward and data gradient, fp32
  bool winograd_wgrad = false;
  bool winograd_box = false;    ///< fused: blocks take boxes of 1 x 4 x 8 tiles, weights are
                                ///< transformed by a kernel before
  bool winograd_boxes = false;  ///< boxes of other shapes too
  bool fft = false;
  bool fft_tiled_fwd = false;  ///< forward tile by tile too, not only of whole images

  bool operator==(const LibraryFeatures&) const = default;
};

struct FeatureField {
  std::string_view key;
  bool LibraryFeatures::*member;
};
inline constexpr auto feature_fields = std::to_array<FeatureField>({
    {"split_k", &LibraryFeatures::split_k},
    {"scatter", &LibraryFeatures::scatter},
    {"skips_empty_phases", &LibraryFeatures::skips_empty_phases},
    {"unaligned_products", &LibraryFeatures::unaligned_products},
    {"pads_gathered", &LibraryFeatures::pads_gathered},
    {"converts_wgrad", &LibraryFeatures::converts_wgrad},
    {"winograd", &LibraryFeatures::winograd},
    {"winograd_wgrad", &LibraryFeatures::winograd_wgrad},
    {"winograd_box", &LibraryFeatures::winograd_box},
    {"winograd_boxes", &LibraryFeatures::winograd_boxes},
    {"fft", &LibraryFeatures::fft},
    {"fft_tiled_fwd", &LibraryFeatures::fft_tiled_fwd},
});

/// One kernel that a library has: its tile, m and n of the result in steps of k elements.
struct TileKernel {
  std::uint32_t m, n, k;
  std::uint32_t threads;
  std::uint32_t stages;
  std::uint32_t registers;  ///< a thread

  bool operator==(const TileKernel&) const = default;
};

/// Lists of a library's tiles. An empty list stands for the one that it falls back to.
enum class TileList : std::uint8_t {
  vector_gemm,
  vector_fwd,
  vector_dgrad,
  vector_wgrad,
  tensor_gemm,
  tensor_window,  ///< kernels that follow a window
  tensor_dgrad,
  tensor_wgrad,  ///< of windows
  tf32,
  tf32_strided_dgrad,
  byte,            ///< one-byte types
  byte_unaligned,  ///< the same for results whose rows are no multiple of 16 byte
  gathered_fwd,    ///< few channels, element by element
  gathered_window,
  gathered_wgrad,
};

using TileLists = EnumArray<TileList, std::vector<TileKernel>>;

/// Beside a constant's value: whether a file states it, where it may lie, and where it comes from.
struct ConstantNote {
  bool stated = false;
  double least = 0;
  double most = 0;
  std::size_t origin = 0;  ///< index in ModelConstants::origins

  bool operator==(const ConstantNote&) const = default;
};

/// A file of constants with all that it inherits.
struct ModelConstants {
  std::string name;
  std::string title;
  std::vector<std::string> covers;   ///< architectures ("Volta") and compute capabilities ("8.0")
  std::vector<std::string> made_by;  ///< the command lines that fitted the values
  ConstantValues values{};
  std::vector<ConstantNote> notes;  ///< in the order of constant_fields()
  std::vector<std::string> origins;
  EnumArray<EngineClass, LibraryFeatures> features;
  TileLists tiles;
  MeasuredErrors errors;  ///< its own before those that it inherits
};

}  // namespace roofline
