#pragma once

// A GPU from its file (configs/gpus/*.json), or a share of one, in base units: engines with peaks,
// architecture, and fields which can be set for a run. Absent: not published.

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

/// Arithmetic units of a GPU, each with its own peak. Names are the keys of `peak_tflops` in GPU
/// files. Peaks are dense; tensor peaks are with fp32 accumulation unless the name says otherwise;
/// int4, int8 and dp4a rates count one multiply-add as two operations.
enum class Engine : std::uint8_t {
  fp64,
  fp64_tensor,
  fp32,
  fp32_tensor,  ///< matrix units for true fp32 (AMD CDNA)
  tf32,
  fp16,
  fp16_tensor,
  fp16_tensor_fp16_accumulate,
  bf16,  ///< tensor cores
  bf16_vector,
  fp8,
  fp8_fp16_accumulate,
  int8,  ///< tensor cores
  dp4a,  ///< int8 dot products on vector units
  int4,  ///< tensor cores
  fp6,   ///< tensor cores, with or without block scales
  fp4,   ///< likewise
};

using EngineRates = EnumArray<Engine, std::optional<double>>;

constexpr std::optional<double> rate_of(const EngineRates& rates, Engine engine) {
  return rates[engine];
}

/// Ceilings measured on a real GPU, where the datasheet's are out of reach.
struct SustainedCeilings {
  EngineRates peak_flop_per_s;
  std::optional<double> bandwidth_byte_per_s;
  std::string source;
};

/// Constants of the kernel model which a GPU file may state in place of its architecture's.
struct KernelConstants {
  std::optional<double> math_share;  ///< share of the peak sustained by large dense kernels
  std::optional<double> dram_share;  ///< share of the bandwidth sustained by long streams
  std::optional<double> launch_s;    ///< from one kernel to the next
};

struct ModelConstants;  // src/kernel/constants.hpp

struct Source {
  std::string title;
  std::string date;
  std::vector<std::string> fields;
};

/// What the maker states for a mode of the board.
struct PowerMode {
  std::string name;              ///< "30W", "MAXN"
  std::vector<std::string> set;  ///< as of GpuSetting: "sms=8"
};

struct GpuChange {
  std::string field;  ///< "bandwidth", or "peak.fp32" for an engine
  /// Unit of both numbers: "B/s", "MiB"; empty for counts, "x" for a factor of all peaks.
  std::string unit;
  std::optional<double> from;  ///< absent if not published
  double to = 0;
  std::string remark{};  ///< what a reader should know of it
};

struct Gpu {
  std::string name;
  std::vector<std::string> aliases;
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
  std::optional<double> memory_data_rate_bit_per_s;  ///< per pin
  std::optional<std::uint64_t> l2_byte;
  std::optional<std::uint64_t> l3_byte;
  std::optional<std::uint64_t> shared_memory_byte_per_sm;
  std::optional<std::uint64_t> shared_memory_byte_per_block;
  std::optional<std::uint64_t> registers_per_sm;  ///< 32 bits each
  std::optional<std::uint64_t> max_threads_per_sm;
  std::optional<std::uint64_t> max_blocks_per_sm;
  std::optional<std::uint64_t> warp_size;
  std::optional<double> host_link_byte_per_s;      ///< one direction, as specified
  std::optional<double> host_pinned_byte_per_s;    ///< measured copy rate from page-locked memory
  std::optional<double> host_pageable_byte_per_s;  ///< measured copy rate from ordinary memory
  std::optional<double> host_operator_s;           ///< measured time of an eager 2-D convolution
  std::optional<double> tdp_w;
  std::vector<PowerMode> power_modes;

  std::optional<SustainedCeilings> sustained;
  KernelConstants kernel;
  /// Constants of the kernel model: named by or held in the file, else the architecture's.
  std::shared_ptr<const ModelConstants> constants;
  std::vector<std::string> notes;
  std::vector<Source> sources;
  std::vector<GpuChange> changes;  ///< relative to the GPU as sold
  std::vector<std::string> files;  ///< read for it; empty: built in
};

/// One GPU field changed for a run, to study another bandwidth, more SMs, a larger L2:
/// "bandwidth=4TB/s", "l2=50MiB", "sms=x2", "clock=+10%", "fp16_tensor=400TFLOP/s", and of all
/// engines "peak=10TFLOP/s".
struct GpuSetting {
  std::string text;
  std::string name;              ///< short name of the field; "peak" for an engine
  std::optional<Engine> engine;  ///< absent: all engines' peaks
  bool is_factor = false;        ///< value multiplies the GPU's own
  double value = 0;              ///< in base units unless a factor
  std::string power_mode{};      ///< of "power=30W": a mode of GPUs that state it
};

/// Short names: "sms, clock, ...".
std::string settable_gpu_fields();

/// FIELD=VALUE: a short name or a key of GPU files; a number with a unit (default: the key's), or a
/// factor.
Expected<GpuSetting> parse_gpu_setting(std::string_view text);

/// The changed GPU: its name says what was set, Gpu::changes has old and new values. Peaks follow
/// the number of SMs and the clock unless set themselves; measured values follow the datasheet's.
/// The power limit stays. An error for a factor of an absent value, or for an engine of other GPUs.
Expected<Gpu> with_settings(Gpu gpu, std::span<const GpuSetting> settings);

}  // namespace roofline
