#pragma once

// The one table of GPU fields, for the reader of GPU files, JSON and text: a new field takes a
// member in roofline/gpu.hpp and a row here.

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "roofline/gpu.hpp"

namespace roofline {

/// Type of a number: its syntax in files and its output.
enum class Quantity : std::uint8_t {
  none,
  whole,        ///< a count, stated as an integer
  size,         ///< bytes, stated in a unit which need not divide them
  binary_size,  ///< a size shown in KiB or MiB
  rate,         ///< any number > 0
  share,        ///< a number > 0 and <= 1
};

struct FieldForm {
  std::string_view file_key;
  std::string_view key;  ///< in JSON output, in base units
  Quantity quantity = Quantity::none;
  double unit = 1;              ///< unit of file_key, in base units
  std::string_view label{};     ///< start of its line of text; without one it is in JSON only
  std::string_view symbol{};    ///< of the base unit
  std::string_view required{};  ///< what a file without it lacks; empty: optional
  /// The maximum of a whole number.
  std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  /// Short name to set the field for a run (GpuSetting), and an example: fields used by the models.
  std::string_view word{};
  std::string_view example{};

  constexpr FieldForm set_as(std::string_view short_name, std::string_view value) const {
    FieldForm form = *this;
    form.word = short_name;
    form.example = value;
    return form;
  }
  constexpr FieldForm needed(std::string_view expected) const {
    FieldForm form = *this;
    form.required = expected;
    return form;
  }
};

template <class Owner>
using GpuMember =
    std::variant<std::string Owner::*, std::vector<std::string> Owner::*, double Owner::*,
                 std::optional<double> Owner::*, std::optional<std::uint64_t> Owner::*,
                 EngineRates Owner::*, std::optional<SustainedCeilings> Owner::*,
                 KernelConstants Owner::*, std::shared_ptr<const ModelConstants> Owner::*,
                 std::vector<PowerMode> Owner::*, std::vector<Source> Owner::*>;

template <class Owner>
struct GpuField {
  FieldForm form;
  GpuMember<Owner> member;
};

namespace gpu_field_tables {

inline constexpr double micro = 1e-6;
inline constexpr double mega = 1e6;
inline constexpr double giga = 1e9;
inline constexpr double tera = 1e12;
inline constexpr double kibi = 1024;
inline constexpr double mebi = 1024 * kibi;

/// Far beyond any warp, so its registers fit 32 bits.
inline constexpr std::uint64_t most_lanes = 1024;

/// A text, a list or a part with its own fields.
constexpr FieldForm plain(std::string_view key, std::string_view label = {}) {
  return {.file_key = key, .key = key, .label = label};
}
constexpr FieldForm whole(std::string_view key, std::string_view label = {}) {
  return {.file_key = key, .key = key, .quantity = Quantity::whole, .label = label};
}
constexpr FieldForm binary_size(std::string_view file_key, std::string_view key, double unit,
                                std::string_view label) {
  return {file_key, key, Quantity::binary_size, unit, label, "B"};
}
constexpr FieldForm rate(std::string_view file_key, std::string_view key, double unit,
                         std::string_view label = {}, std::string_view symbol = {}) {
  return {file_key, key, Quantity::rate, unit, label, symbol};
}
constexpr FieldForm share_of_peak(std::string_view key) {
  return {.file_key = key, .key = key, .quantity = Quantity::share};
}

inline constexpr GpuField<Gpu> gpu_fields[] = {
    {plain("name").needed("the GPU's name"), &Gpu::name},
    {plain("aliases"), &Gpu::aliases},
    {plain("vendor"), &Gpu::vendor},
    {plain("architecture", "architecture"), &Gpu::architecture},
    {plain("compute_capability", "compute capability"), &Gpu::compute_capability},
    {whole("sm_count", "SMs").set_as("sms", "160"), &Gpu::sm_count},
    {rate("boost_clock_mhz", "boost_clock_hz", mega, "boost clock", "Hz").set_as("clock", "1.8GHz"),
     &Gpu::boost_clock_hz},
    {rate("peak_tflops", "peak_flop_per_s", tera, {}, "FLOP/s")
         .needed("peaks such as {\"fp32\": 15.7}")
         .set_as("peak", "400TFLOP/s"),
     &Gpu::peak_flop_per_s},
    {rate("flop_per_clock_per_sm", "flop_per_clock_per_sm", 1), &Gpu::flop_per_clock_per_sm},
    {FieldForm{"memory_gb", "memory_byte", Quantity::size, giga, "memory", "B"}.set_as("memory",
                                                                                       "80GB"),
     &Gpu::memory_byte},
    {plain("memory_type", "memory type"), &Gpu::memory_type},
    {whole("memory_bus_bit"), &Gpu::memory_bus_bit},
    {rate("memory_data_rate_gbit_per_s", "memory_data_rate_bit_per_s", giga),
     &Gpu::memory_data_rate_bit_per_s},
    {rate("bandwidth_gb_per_s", "bandwidth_byte_per_s", giga, {}, "B/s")
         .needed("a number > 0")
         .set_as("bandwidth", "4TB/s"),
     &Gpu::bandwidth_byte_per_s},
    {binary_size("l2_mib", "l2_byte", mebi, "L2").set_as("l2", "50MiB"), &Gpu::l2_byte},
    {binary_size("l3_mib", "l3_byte", mebi, "L3").set_as("l3", "64MiB"), &Gpu::l3_byte},
    {binary_size("shared_memory_kib_per_sm", "shared_memory_byte_per_sm", kibi,
                 "shared memory an SM")
         .set_as("shared_memory", "256KiB"),
     &Gpu::shared_memory_byte_per_sm},
    {binary_size("shared_memory_kib_per_block", "shared_memory_byte_per_block", kibi,
                 "shared memory a block"),
     &Gpu::shared_memory_byte_per_block},
    {whole("registers_per_sm", "registers an SM").set_as("registers", "131072"),
     &Gpu::registers_per_sm},
    {whole("max_threads_per_sm", "threads an SM"), &Gpu::max_threads_per_sm},
    {whole("max_blocks_per_sm", "blocks an SM"), &Gpu::max_blocks_per_sm},
    {FieldForm{.file_key = "warp_size",
               .key = "warp_size",
               .quantity = Quantity::whole,
               .most = most_lanes},
     &Gpu::warp_size},
    {rate("host_link_gb_per_s", "host_link_byte_per_s", giga, "host link", "B/s")
         .set_as("host_link", "64GB/s"),
     &Gpu::host_link_byte_per_s},
    {rate("host_pinned_gb_per_s", "host_pinned_byte_per_s", giga), &Gpu::host_pinned_byte_per_s},
    {rate("host_pageable_gb_per_s", "host_pageable_byte_per_s", giga),
     &Gpu::host_pageable_byte_per_s},
    {rate("host_operator_us", "host_operator_s", micro), &Gpu::host_operator_s},
    {rate("tdp_w", "tdp_w", 1, "TDP", "W").set_as("tdp", "400W"), &Gpu::tdp_w},
    {plain("power_modes"), &Gpu::power_modes},
    {plain("sustained"), &Gpu::sustained},
    {plain("kernel"), &Gpu::kernel},
    {plain("kernel_model"), &Gpu::constants},
    {plain("notes"), &Gpu::notes},
    {plain("sources"), &Gpu::sources},
};

inline constexpr GpuField<PowerMode> power_mode_fields[] = {
    {plain("name").needed("a name such as 30W"), &PowerMode::name},
    {plain("set"), &PowerMode::set},
};

inline constexpr GpuField<SustainedCeilings> sustained_fields[] = {
    {rate("peak_tflops", "peak_flop_per_s", tera), &SustainedCeilings::peak_flop_per_s},
    {rate("bandwidth_gb_per_s", "bandwidth_byte_per_s", giga),
     &SustainedCeilings::bandwidth_byte_per_s},
    {plain("source").needed("who measured this, on what"), &SustainedCeilings::source},
};

inline constexpr GpuField<KernelConstants> kernel_fields[] = {
    {share_of_peak("math_share"), &KernelConstants::math_share},
    {share_of_peak("dram_share"), &KernelConstants::dram_share},
    {rate("launch_us", "launch_s", micro, "", "s").set_as("launch", "1us"),
     &KernelConstants::launch_s},
};

inline constexpr GpuField<Source> source_fields[] = {
    {plain("title").needed("a title"), &Source::title},
    {plain("date"), &Source::date},
    {plain("fields"), &Source::fields},
};

}  // namespace gpu_field_tables

inline constexpr std::string_view at_least_one_peak = "at least one peak";

// What a number should be ("a number > 0"), for the reader of files and for make_context; empty for
// a right one.

/// `stated`: in the unit of files.
std::string expected_rate(double stated, const FieldForm& form);
/// `count`: in the base unit.
std::string expected_count(double count, const FieldForm& form);

struct GpuNameFault {
  std::string key;  ///< of the file
  std::string message;
};
std::optional<GpuNameFault> fault_in_names(const Gpu& gpu);

template <class Owner>
constexpr std::span<const GpuField<Owner>> fields_of() {
  if constexpr (std::is_same_v<Owner, Gpu>)
    return gpu_field_tables::gpu_fields;
  else if constexpr (std::is_same_v<Owner, PowerMode>)
    return gpu_field_tables::power_mode_fields;
  else if constexpr (std::is_same_v<Owner, SustainedCeilings>)
    return gpu_field_tables::sustained_fields;
  else if constexpr (std::is_same_v<Owner, KernelConstants>)
    return gpu_field_tables::kernel_fields;
  else
    return gpu_field_tables::source_fields;
}

}  // namespace roofline
