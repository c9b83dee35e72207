#include "model/gpu_fields.hpp"

namespace roofline {
namespace {

constexpr double micro = 1e-6;
constexpr double mega = 1e6;
constexpr double giga = 1e9;
constexpr double tera = 1e12;
constexpr double kibi = 1024;
constexpr double mebi = 1024 * kibi;

/// Of a warp: far more than any has, so that its registers are counted in 32 bits.
constexpr std::uint64_t most_lanes = 1024;

using Text = std::string_view;

/// A text, a list or a part with fields of its own.
constexpr FieldForm plain(Text key, Text label = {}) {
  return {.file_key = key, .key = key, .label = label};
}
constexpr FieldForm required(Text key, Text expected) {
  return {.file_key = key, .key = key, .required = expected};
}
constexpr FieldForm joined(Text key, Text joint) {
  return {.file_key = key, .key = key, .joint = joint};
}
constexpr FieldForm whole(Text key, Text label = {}) {
  return {.file_key = key, .key = key, .quantity = Quantity::whole, .label = label};
}
constexpr FieldForm whole_up_to(Text key, std::uint64_t most) {
  return {.file_key = key, .key = key, .quantity = Quantity::whole, .most = most};
}
constexpr FieldForm size(Text file_key, Text key, double unit, Text label) {
  return {file_key, key, Quantity::size, unit, label, "B"};
}
constexpr FieldForm binary_size(Text file_key, Text key, double unit, Text label) {
  return {file_key, key, Quantity::binary_size, unit, label, "B"};
}
constexpr FieldForm rate(Text file_key, Text key, double unit, Text label = {}, Text symbol = {}) {
  return {file_key, key, Quantity::rate, unit, label, symbol};
}
constexpr FieldForm required_rate(Text file_key, Text key, double unit, Text symbol,
                                  Text expected) {
  return {.file_key = file_key,
          .key = key,
          .quantity = Quantity::rate,
          .unit = unit,
          .symbol = symbol,
          .required = expected};
}
constexpr FieldForm share_of_peak(Text key) {
  return {.file_key = key, .key = key, .quantity = Quantity::share};
}

constexpr GpuField<Gpu> gpu_fields[] = {
    {required("name", "the GPU's name"), &Gpu::name},
    {plain("aliases"), &Gpu::aliases},
    {plain("vendor"), &Gpu::vendor},
    {plain("architecture", "architecture"), &Gpu::architecture},
    {joined("compute_capability", ", compute capability "), &Gpu::compute_capability},
    {whole("sm_count", "SMs").set_as("sms", "160"), &Gpu::sm_count},
    {rate("boost_clock_mhz", "boost_clock_hz", mega, "boost clock", "Hz").set_as("clock", "1.8GHz"),
     &Gpu::boost_clock_hz},
    {required_rate("peak_tflops", "peak_flop_per_s", tera, "FLOP/s",
                   "peaks such as {\"fp32\": 15.7}")
         .set_as("peak", "400TFLOP/s"),
     &Gpu::peak_flop_per_s},
    {rate("flop_per_clock_per_sm", "flop_per_clock_per_sm", 1), &Gpu::flop_per_clock_per_sm},
    {size("memory_gb", "memory_byte", giga, "memory").set_as("memory", "80GB"), &Gpu::memory_byte},
    {joined("memory_type", " "), &Gpu::memory_type},
    {whole("memory_bus_bit"), &Gpu::memory_bus_bit},
    {rate("memory_data_rate_gbit_per_s", "memory_data_rate_bit_per_s", giga),
     &Gpu::memory_data_rate_bit_per_s},
    {required_rate("bandwidth_gb_per_s", "bandwidth_byte_per_s", giga, "B/s", "a number > 0")
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
    {whole_up_to("warp_size", most_lanes), &Gpu::warp_size},
    {rate("host_link_gb_per_s", "host_link_byte_per_s", giga, "host link", "B/s")
         .set_as("host_link", "64GB/s"),
     &Gpu::host_link_byte_per_s},
    {rate("host_pinned_gb_per_s", "host_pinned_byte_per_s", giga), &Gpu::host_pinned_byte_per_s},
    {rate("host_pageable_gb_per_s", "host_pageable_byte_per_s", giga),
     &Gpu::host_pageable_byte_per_s},
    {rate("host_operator_us", "host_operator_s", micro), &Gpu::host_operator_s},
    {rate("tdp_w", "tdp_w", 1, "TDP", "W").set_as("tdp", "400W"), &Gpu::tdp_w},
    {plain("sustained"), &Gpu::sustained},
    {plain("kernel"), &Gpu::kernel},
    {plain("kernel_model"), &Gpu::constants},
    {plain("notes"), &Gpu::notes},
    {plain("sources"), &Gpu::sources},
};

constexpr GpuField<SustainedCeilings> sustained_fields[] = {
    {rate("peak_tflops", "peak_flop_per_s", tera), &SustainedCeilings::peak_flop_per_s},
    {rate("bandwidth_gb_per_s", "bandwidth_byte_per_s", giga),
     &SustainedCeilings::bandwidth_byte_per_s},
    {required("source", "who measured this, on what"), &SustainedCeilings::source},
};

constexpr GpuField<KernelConstants> kernel_fields[] = {
    {share_of_peak("math_share"), &KernelConstants::math_share},
    {share_of_peak("dram_share"), &KernelConstants::dram_share},
    {rate("launch_us", "launch_s", micro, "", "s").set_as("launch", "1us"),
     &KernelConstants::launch_s},
};

constexpr GpuField<Source> source_fields[] = {
    {required("title", "a title"), &Source::title},
    {plain("date"), &Source::date},
    {plain("fields"), &Source::fields},
};

}  // namespace

template <>
std::span<const GpuField<Gpu>> fields_of<Gpu>() {
  return gpu_fields;
}

template <>
std::span<const GpuField<SustainedCeilings>> fields_of<SustainedCeilings>() {
  return sustained_fields;
}

template <>
std::span<const GpuField<KernelConstants>> fields_of<KernelConstants>() {
  return kernel_fields;
}

template <>
std::span<const GpuField<Source>> fields_of<Source>() {
  return source_fields;
}

}  // namespace roofline
