#include <cmath>

#include "load/json_value.hpp"
#include "model/spelling.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

constexpr double mega = 1e6;
constexpr double giga = 1e9;
constexpr double tera = 1e12;
constexpr double kibi = 1024;
constexpr double mebi = 1024 * kibi;

/// A key of a GPU file, the member it fills and what one of its units is in base units.
template <class T>
struct Field {
  std::string_view key;
  std::optional<T> Gpu::*member;
  double unit = 1;
};

constexpr Field<std::uint64_t> count_fields[] = {
    {"sm_count", &Gpu::sm_count},
    {"memory_bus_bit", &Gpu::memory_bus_bit},
    {"registers_per_sm", &Gpu::registers_per_sm},
    {"max_threads_per_sm", &Gpu::max_threads_per_sm},
    {"max_blocks_per_sm", &Gpu::max_blocks_per_sm},
    {"warp_size", &Gpu::warp_size},
};

/// Sizes in multiples of a unit, which need not be whole.
constexpr Field<std::uint64_t> size_fields[] = {
    {"memory_gb", &Gpu::memory_byte, giga},
    {"l2_mib", &Gpu::l2_byte, mebi},
    {"l3_mib", &Gpu::l3_byte, mebi},
    {"shared_memory_kib_per_sm", &Gpu::shared_memory_byte_per_sm, kibi},
    {"shared_memory_kib_per_block", &Gpu::shared_memory_byte_per_block, kibi},
};

constexpr Field<double> rate_fields[] = {
    {"boost_clock_mhz", &Gpu::boost_clock_hz, mega},
    {"memory_data_rate_gbit_per_s", &Gpu::memory_data_rate_bit_per_s, giga},
    {"host_link_gb_per_s", &Gpu::host_link_byte_per_s, giga},
    {"host_pinned_gb_per_s", &Gpu::host_pinned_byte_per_s, giga},
    {"host_pageable_gb_per_s", &Gpu::host_pageable_byte_per_s, giga},
    {"tdp_w", &Gpu::tdp_w},
};

std::vector<std::string_view> gpu_keys() {
  std::vector<std::string_view> keys{"name",
                                     "aliases",
                                     "vendor",
                                     "architecture",
                                     "compute_capability",
                                     "peak_tflops",
                                     "memory_type",
                                     "sustained",
                                     "kernel",
                                     "flop_per_clock_per_sm",
                                     "bandwidth_gb_per_s",
                                     "notes",
                                     "sources"};
  for (const auto& field : count_fields) keys.push_back(field.key);
  for (const auto& field : size_fields) keys.push_back(field.key);
  for (const auto& field : rate_fields) keys.push_back(field.key);
  return keys;
}

double read_rate(const Value& value, double unit) {
  const double rate = value.positive_number() * unit;
  if (!std::isfinite(rate)) value.fail_expected("a number below 1e290");
  return rate;
}

std::uint64_t read_size_byte(const Value& value, double unit) {
  const double bytes = value.positive_number() * unit;
  if (bytes < 1 || bytes > 1e18) value.fail_expected("a size between 1 byte and 1e18 bytes");
  return static_cast<std::uint64_t>(std::llround(bytes));
}

EngineRates read_rates(const Value& value, const Origin& origin, double unit) {
  ObjectReader object(value, origin, "the engines", {engine_names.begin(), engine_names.end()});
  EngineRates rates;
  for (std::size_t i = 0; i < engine_count; ++i)
    if (const auto rate = object.take(engine_names[i])) rates[i] = read_rate(*rate, unit);
  object.finish();
  return rates;
}

SustainedCeilings read_sustained(const Value& value, const Origin& origin) {
  ObjectReader object(value, origin, "sustained", {"peak_tflops", "bandwidth_gb_per_s", "source"});
  SustainedCeilings ceilings;
  if (const auto peaks = object.take("peak_tflops"))
    ceilings.peak_flop_per_s = read_rates(*peaks, origin, tera);
  if (const auto bandwidth = object.take("bandwidth_gb_per_s"))
    ceilings.bandwidth_byte_per_s = read_rate(*bandwidth, giga);
  ceilings.source = object.require("source", "who measured this, on what").text();
  object.finish();
  return ceilings;
}

KernelConstants read_kernel_constants(const Value& value, const Origin& origin) {
  ObjectReader object(value, origin, "kernel", {"math_share", "dram_share", "launch_us"});
  KernelConstants constants;
  const auto read_share = [&](std::string_view key) -> std::optional<double> {
    const auto share = object.take(key);
    if (!share) return std::nullopt;
    if (share->positive_number() > 1) share->fail_expected("a share from 0 to 1");
    return share->positive_number();
  };
  constants.math_share = read_share("math_share");
  constants.dram_share = read_share("dram_share");
  if (const auto launch = object.take("launch_us")) constants.launch_s = read_rate(*launch, 1e-6);
  object.finish();
  return constants;
}

std::vector<Source> read_sources(const Value& list, const Origin& origin) {
  if (!list.is_array()) list.fail_expected("a list of sources");
  std::vector<Source> sources;
  for (std::size_t i = 0; i < list.size(); ++i) {
    ObjectReader object(list.at(i), origin, "a source", {"title", "date", "fields"});
    Source source;
    source.title = object.require("title", "a title").text();
    if (const auto date = object.take("date")) source.date = date->text();
    if (const auto fields = object.take("fields")) source.fields = fields->texts();
    object.finish();
    sources.push_back(std::move(source));
  }
  return sources;
}

void read_texts(ObjectReader& object, const Origin& origin, Gpu& gpu) {
  gpu.name = object.require("name", "the GPU's name").text();
  if (const auto aliases = object.take("aliases")) gpu.aliases = aliases->texts();
  if (const auto vendor = object.take("vendor")) gpu.vendor = vendor->text();
  if (const auto name = object.take("architecture")) gpu.architecture = name->text();
  if (const auto version = object.take("compute_capability"))
    gpu.compute_capability = version->text();
  if (const auto type = object.take("memory_type")) gpu.memory_type = type->text();
  if (const auto notes = object.take("notes")) gpu.notes = notes->texts();
  if (const auto sources = object.take("sources")) gpu.sources = read_sources(*sources, origin);
}

}  // namespace

Gpu load_gpu(std::string_view json_text, const std::string& source) {
  const Origin origin{source, std::nullopt};
  const nlohmann::json root = parse_json(json_text, origin);
  ObjectReader object(Value(root, origin), origin, "a GPU", gpu_keys());
  Gpu gpu;
  read_texts(object, origin, gpu);
  const Value peaks = object.require("peak_tflops", "peaks such as {\"fp32\": 15.7}");
  gpu.peak_flop_per_s = read_rates(peaks, origin, tera);
  if (peaks.size() == 0) peaks.fail_expected("at least one peak");
  gpu.bandwidth_byte_per_s = read_rate(object.require("bandwidth_gb_per_s", "a number > 0"), giga);
  if (const auto rates = object.take("flop_per_clock_per_sm"))
    gpu.flop_per_clock_per_sm = read_rates(*rates, origin, 1);
  for (const auto& field : count_fields)
    if (const auto value = object.take(field.key)) gpu.*field.member = value->integer(1);
  for (const auto& field : size_fields)
    if (const auto value = object.take(field.key))
      gpu.*field.member = read_size_byte(*value, field.unit);
  for (const auto& field : rate_fields)
    if (const auto value = object.take(field.key))
      gpu.*field.member = read_rate(*value, field.unit);
  if (const auto sustained = object.take("sustained"))
    gpu.sustained = read_sustained(*sustained, origin);
  if (const auto kernel = object.take("kernel"))
    gpu.kernel = read_kernel_constants(*kernel, origin);
  object.finish();
  return gpu;
}

}  // namespace roofline
