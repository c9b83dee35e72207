#pragma once

// A GPU as its file describes it (configs/gpus/*.json), or a share of one, in base units: its
// engines with their peaks, its architecture, and what may be set of it for a run. Absent means not
// published.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/enumeration.hpp"
#include "roofline/error.hpp"

namespace roofline {

/// The arithmetic units of a GPU, each with its own peak. The names are the keys of `peak_tflops`
/// in GPU files. Peaks are dense; tensor peaks are with fp32 accumulation unless the name says
/// otherwise; int4, int8 and dp4a rates count one multiply-add as two operations.
enum class Engine : std::uint8_t {
  fp64,
  fp64_tensor,
  fp32,
  fp32_tensor,  ///< matrix units that multiply true fp32 (AMD CDNA)
  tf32,
  fp16,
  fp16_tensor,
  fp16_tensor_fp16_accumulate,
  bf16,  ///< tensor cores
  bf16_vector,
  fp8,
  fp8_fp16_accumulate,
  int8,  ///< tensor cores
  dp4a,  ///< int8 dot products on the vector units
  int4,  ///< tensor cores
  fp6,   ///< tensor cores, with block scales or without
  fp4,   ///< the same
};

/// A rate for each engine that a part has.
using EngineRates = EnumArray<Engine, std::optional<double>>;

constexpr std::optional<double> rate_of(const EngineRates& rates, Engine engine) {
  return rates[engine];
}

/// Ceilings measured on a real part, where the datasheet's cannot be reached.
struct SustainedCeilings {
  EngineRates peak_flop_per_s;
  std::optional<double> bandwidth_byte_per_s;
  std::string source;
};

/// Constants of the kernel model that a part's file may state in place of its architecture's.
struct KernelConstants {
  std::optional<double> math_share;  ///< how much of the peak large dense kernels sustain
  std::optional<double> dram_share;  ///< how much of the bandwidth long streams sustain
  std::optional<double> launch_s;    ///< from one kernel to the next
};

struct ModelConstants;  // src/kernel/constants.hpp

struct Source {
  std::string title;
  std::string date;
  std::vector<std::string> fields;
};

/// A field that was set for a run.
struct GpuChange {
  std::string field;  ///< "bandwidth"; of one engine's peak "peak.fp32"
  /// The unit of the numbers: "B/s", "MiB"; empty for counts, "x" where all peaks are multiplied.
  std::string unit;
  std::optional<double> from;  ///< absent where it is not published
  double to = 0;
};

struct Gpu {
  std::string name;
  std::vector<std::string> aliases;
  std::string share;  ///< what a MIG slice has of which part
  std::string vendor;
  std::string architecture;
  std::string compute_capability;

  EngineRates peak_flop_per_s;      ///< dense; at least one is present
  double bandwidth_byte_per_s = 0;  ///< to and from device memory
  EngineRates flop_per_clock_per_sm;
  std::optional<std::uint64_t> sm_count;  ///< AMD: compute units; Intel: Xe-cores
  std::optional<double> boost_clock_hz;

  std::optional<std::uint64_t> memory_byte;
  std::string memory_type;
  std::optional<std::uint64_t> memory_bus_bit;
  std::optional<double> memory_data_rate_bit_per_s;  ///< a pin
  std::optional<std::uint64_t> l2_byte;
  std::optional<std::uint64_t> l3_byte;
  std::optional<std::uint64_t> shared_memory_byte_per_sm;
  std::optional<std::uint64_t> shared_memory_byte_per_block;
  std::optional<std::uint64_t> registers_per_sm;  ///< each 32 bits wide
  std::optional<std::uint64_t> max_threads_per_sm;
  std::optional<std::uint64_t> max_blocks_per_sm;
  std::optional<std::uint64_t> warp_size;
  std::optional<double> host_link_byte_per_s;      ///< one direction, as specified
  std::optional<double> host_pinned_byte_per_s;    ///< measured copy rate from page-locked memory
  std::optional<double> host_pageable_byte_per_s;  ///< measured copy rate from ordinary memory
  std::optional<double> host_operator_s;           ///< measured: a framework's operator, eagerly
  std::optional<double> tdp_w;

  std::optional<SustainedCeilings> sustained;
  KernelConstants kernel;
  /// The kernel model's constants: those that the file names or holds, else its architecture's.
  std::shared_ptr<const ModelConstants> constants;
  std::vector<std::string> notes;
  std::vector<Source> sources;
  std::vector<GpuChange> changes;  ///< to the part that is sold
};

/// Which GPUs behave alike: the one place that tells them apart.
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
  /// What Gpu::architecture begins with, any case: "CDNA 2" and "CDNA3" are CDNA. Empty: unused.
  std::array<std::string_view, 3> prefixes;
  std::uint32_t first_capability =
      0;  ///< major * 10 + minor; its range ends where the next one begins
  std::uint32_t usual_capability = 0;  ///< of a part that states none
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

/// "7.5" -> 75, "12.0" -> 120; 0 for anything else ("gfx900").
std::uint32_t parse_capability(std::string_view text);

/// What the GPU's file says: by compute capability, else by name. None where neither is known.
std::optional<Architecture> stated_architecture(const Gpu& gpu);

/// The same; where it is not known, the newest that was measured (AMD: the newest of AMD's).
Architecture architecture_of(const Gpu& gpu);

/// What if a GPU had another bandwidth, more SMs, a larger L2: one of its fields set for a run, as
/// "bandwidth=4TB/s", "l2=50MiB", "sms=x2", "clock=+10%", "fp16_tensor=400TFLOP/s".
struct GpuSetting {
  std::string text;              ///< as it was given
  std::string name;              ///< the field's short name; of an engine "peak"
  std::optional<Engine> engine;  ///< whose peak is set; absent: all engines'
  bool is_factor = false;        ///< value multiplies what the GPU has
  double value = 0;              ///< else in base units
};

/// The short names: "sms, clock, ...".
std::string settable_gpu_fields();

/// A field by its short name or the name that GPU files have; a number with its unit, for a file's
/// name without one in that of the file, or a factor. An error says what was expected.
Expected<GpuSetting> parse_gpu_setting(std::string_view text);

/// The part as it would be: its name says what was set, Gpu::changes from what to what. Peaks
/// follow the number of SMs and the clock unless they are set themselves, and what was measured of
/// the part follows what its datasheet says. The power limit stays. An error where a factor is of
/// something that the GPU does not state, or an engine is none of its own.
Expected<Gpu> with_settings(Gpu gpu, std::span<const GpuSetting> settings);

}  // namespace roofline
