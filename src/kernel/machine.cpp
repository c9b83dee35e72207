#include "kernel/machine.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernel/architecture.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

std::optional<Architecture> from_capability(std::uint32_t capability) {
  std::optional<Architecture> found;
  for (const Architecture architecture : enumerators<Architecture>)
    if (const std::uint32_t first = info(architecture).first_capability;
        first > 0 && capability >= first)
      found = architecture;
  return found;
}

/// "CDNA3" and "cdna 3" start with "CDNA"; "Adagio" does not start with "Ada".
std::optional<Architecture> from_name(std::string_view name) {
  const std::string lower = lower_case(name) + ' ';
  for (const Architecture architecture : enumerators<Architecture>)
    for (const std::string_view prefix : info(architecture).prefixes) {
      if (prefix.empty() || !lower.starts_with(lower_case(prefix))) continue;
      const char next = lower[prefix.size()];
      if (next < 'a' || next > 'z') return architecture;
    }
  return std::nullopt;
}

struct CapabilityLimits {
  std::uint32_t capability;
  std::uint32_t shared_kib = 64;  ///< per SM
  std::uint32_t threads = 2048;
  std::uint32_t blocks = 32;
};

/// Deviations in CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
constexpr CapabilityLimits unusual_limits[] = {
    {30, 48, 2048, 16},
    {32, 64, 2048, 16},
    {35, 48, 2048, 16},
    {37, 112, 2048, 16},
    {52, 96},
    {61, 96},
    {70, 96},
    {75, 64, 1024, 16},
    {80, 164},
    {87, 164},
    {86, 100, 1536, 16},
    {89, 100, 1536, 24},
    {90, 228},
    {100, 228},
    {103, 228},
    {120, 100, 1536},
};

SmLimits nvidia_limits(std::uint32_t capability) {
  SmLimits sm;
  if (capability == 0) return sm;
  const auto* const unusual =
      std::ranges::find(unusual_limits, capability, &CapabilityLimits::capability);
  const CapabilityLimits limits =
      unusual == std::end(unusual_limits) ? CapabilityLimits{capability} : *unusual;
  if (capability == 60) sm.schedulers = 2;  // GP100 has two of 32 lanes per SM
  sm.registers = capability == 37 ? 131072 : 65536;
  sm.shared_byte = limits.shared_kib << 10;
  sm.max_warps = limits.threads / 32;
  sm.max_blocks = limits.blocks;
  sm.shared_unit_byte = capability >= 80 ? 128 : 256;
  sm.shared_reserved_byte = capability >= 80 ? 1024 : 0;
  sm.shared_byte_per_block = capability < 70 ? 49152 : sm.shared_byte - sm.shared_reserved_byte;
  return sm;
}

/// GCN and CDNA compute units: 40 wavefronts of 64, 64 KiB of LDS, 256 KiB of vector registers.
SmLimits amd_limits() {
  SmLimits sm;
  sm.warp_size = 64;
  sm.max_warps = 40;
  sm.max_blocks = 40;
  sm.registers = 65536;
  sm.register_unit_per_warp = 256;
  sm.max_registers_per_thread = 256;
  sm.shared_byte = 65536;
  sm.shared_byte_per_block = 65536;
  sm.shared_unit_byte = 512;
  return sm;
}

std::uint32_t narrow(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, 0xffffffffU));
}

void apply_datasheet(const Gpu& gpu, SmLimits& sm) {
  if (gpu.warp_size && *gpu.warp_size > 0) sm.warp_size = narrow(*gpu.warp_size);
  if (gpu.registers_per_sm) sm.registers = narrow(*gpu.registers_per_sm);
  if (gpu.max_threads_per_sm) sm.max_warps = narrow(*gpu.max_threads_per_sm) / sm.warp_size;
  if (gpu.max_blocks_per_sm) sm.max_blocks = narrow(*gpu.max_blocks_per_sm);
  if (gpu.shared_memory_byte_per_sm) sm.shared_byte = narrow(*gpu.shared_memory_byte_per_sm);
  if (gpu.shared_memory_byte_per_block)
    sm.shared_byte_per_block = narrow(*gpu.shared_memory_byte_per_block);
  sm.shared_byte_per_block = std::min(sm.shared_byte_per_block, sm.shared_byte);
}

/// Instructions per clock and SM, relative to four warps of 32. GP100 has half of other Pascals'.
double issue_share_of(const Machine& machine) {
  switch (machine.architecture) {
    case Architecture::kepler: return 0.75;
    case Architecture::pascal: return machine.compute_capability == 60 ? 0.5 : 1;
    case Architecture::gcn:
    case Architecture::cdna: return 0.5;
    default: return 1;
  }
}

double clock_hz_of(const Gpu& gpu, std::vector<std::string>& assumptions) {
  if (gpu.boost_clock_hz) return *gpu.boost_clock_hz;
  constexpr double usual_hz = 1.5e9;
  assumptions.push_back("boost_clock_mhz is not stated: " + number_text(usual_hz / 1e6) +
                        " MHz are assumed");
  return usual_hz;
}

double sm_count_of(const Gpu& gpu, double clock_hz, std::vector<std::string>& assumptions) {
  if (gpu.sm_count) return static_cast<double>(*gpu.sm_count);
  constexpr double lanes = 128;
  const double fp32 = rate_of(gpu.peak_flop_per_s, Engine::fp32).value_or(10e12);
  const double count = std::max(1.0, std::round(fp32 / (2 * lanes * clock_hz)));
  assumptions.push_back("sm_count is not stated: " + number_text(count) +
                        " SMs are assumed, what " + number_text(fp32 / 1e12) +
                        " TFLOP/s in fp32 need at " + number_text(lanes) + " lanes an SM");
  return count;
}

void note_architecture(const Gpu& gpu, Architecture assumed,
                       std::vector<std::string>& assumptions) {
  if (stated_architecture(gpu)) return;
  const std::string stated = gpu.architecture.empty()
                                 ? "architecture is not stated"
                                 : "architecture " + in_quotes(gpu.architecture) + " is not known";
  assumptions.push_back(stated + ": constants of " + std::string(info(assumed).name) +
                        " are assumed");
}

constexpr double mib_byte = 1024.0 * 1024.0;

double l2_size_byte_of(const Gpu& gpu, std::vector<std::string>& assumptions) {
  if (gpu.l2_byte) return std::max(static_cast<double>(*gpu.l2_byte), 0.25 * mib_byte);
  constexpr double usual_mib = 4;
  assumptions.push_back("l2_mib is not stated: " + number_text(usual_mib) + " MiB are assumed");
  return usual_mib * mib_byte;
}

/// GPUs with few SMs for their bandwidth can still use it.
void set_bandwidth(MemorySystem& system, double bandwidth_byte_per_s, double share) {
  system.bandwidth_byte_per_s = bandwidth_byte_per_s;
  system.dram_share = share;
  system.l2_least_byte_per_s =
      std::max(system.l2_least_byte_per_s, system.constants->l2_dram_ratio * bandwidth_byte_per_s);
}

constexpr std::uint32_t rounded_up_to_unit(std::uint32_t value, std::uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::uint32_t parse_capability(std::string_view text) {
  std::uint32_t value = 0;
  bool dot = false;
  for (const char c : text) {
    if (c == '.' && !dot)
      dot = true;
    else if (c >= '0' && c <= '9' && value < 1000)
      value = value * 10 + static_cast<std::uint32_t>(c - '0');
    else
      return 0;
  }
  return dot ? value : value * 10;
}

std::optional<Architecture> stated_architecture(const Gpu& gpu) {
  if (const auto known = from_capability(parse_capability(gpu.compute_capability))) return known;
  return from_name(gpu.architecture);
}

Architecture architecture_of(const Gpu& gpu) {
  if (const auto stated = stated_architecture(gpu)) return *stated;
  return gpu.vendor == info(Architecture::cdna).vendor ? Architecture::cdna : Architecture::hopper;
}

Machine machine_of(const Gpu& gpu, std::vector<std::string>& assumptions) {
  Machine machine;
  machine.architecture = architecture_of(gpu);
  note_architecture(gpu, machine.architecture, assumptions);
  const ArchitectureInfo& architecture = info(machine.architecture);
  const std::uint32_t stated = parse_capability(gpu.compute_capability);
  machine.compute_capability = stated > 0 ? stated : architecture.usual_capability;
  const bool amd = architecture.vendor == "AMD";
  machine.sm = amd ? amd_limits() : nvidia_limits(machine.compute_capability);
  apply_datasheet(gpu, machine.sm);
  machine.clock_hz = clock_hz_of(gpu, assumptions);
  machine.sm_count = sm_count_of(gpu, machine.clock_hz, assumptions);
  machine.issue_share = issue_share_of(machine);
  machine.sm_origin = gpu.sm_count ? datasheet_origin : "assumed from the fp32 peak";
  machine.clock_origin = gpu.boost_clock_hz ? datasheet_origin : "assumed";
  machine.tdp_w = gpu.tdp_w.value_or(0);
  return machine;
}

MemorySystem memory_system(const Gpu& gpu, const ModelConstants& constants,
                           std::vector<std::string>& assumptions) {
  const MemoryConstants& c = constants.values.memory;
  MemorySystem system;
  system.constants = &c;
  set_bandwidth(system, gpu.bandwidth_byte_per_s, gpu.kernel.dram_share.value_or(c.dram_share));
  system.l2_size_byte = l2_size_byte_of(gpu, assumptions);
  system.l2_kept_byte = c.l2_kept_share * system.l2_size_byte;
  system.l2_lost_byte = std::max(c.l2_lost_share * system.l2_size_byte, system.l2_kept_byte + 1);
  system.l2_dirty_byte = c.l2_dirty_share * system.l2_size_byte;
  system.cold_ramp_byte = c.cold_share * system.l2_size_byte;
  const LaunchConstants& launch = constants.values.launch;
  system.launch_s = gpu.kernel.launch_s.value_or(launch.start_s + launch.gap_s);
  system.gap_s = std::min(launch.gap_s, system.launch_s);
  system.stream_s = launch.stream_s;
  system.engine_share = launch.engine_share;
  system.call_s = launch.call_s;
  system.submit_s = launch.submit_s;
  system.bandwidth_origin = datasheet_origin;
  system.share_origin = gpu.kernel.dram_share ? stated_origin : origin_of(constants, c.dram_share);
  system.launch_origin = gpu.kernel.launch_s ? stated_origin : origin_of(constants, launch.start_s);
  system.kept_origin = origin_of(constants, c.l2_kept_share);
  return system;
}

MemorySystem with_bandwidth(MemorySystem system, double sustained_byte_per_s) {
  set_bandwidth(system, sustained_byte_per_s, 1);
  system.bandwidth_origin = sustained_origin;
  system.share_origin = "a sustained ceiling is what streams reach";
  return system;
}

Occupancy occupancy(const SmLimits& sm, const BlockResources& block) {
  if (block.threads > sm.max_threads_per_block)
    return {0, OccupancyLimit::threads_per_block, block.threads, sm.max_threads_per_block};
  if (block.registers > sm.max_registers_per_thread)
    return {0, OccupancyLimit::registers_per_thread, block.registers, sm.max_registers_per_thread};
  if (block.shared_byte > sm.shared_byte_per_block)
    return {0, OccupancyLimit::shared_memory, block.shared_byte, sm.shared_byte_per_block};
  const std::uint32_t warps = std::max(1U, (block.threads + sm.warp_size - 1) / sm.warp_size);
  const std::uint32_t registers =
      rounded_up_to_unit(std::max(1U, block.registers) * sm.warp_size, sm.register_unit_per_warp);
  const std::uint32_t shared = rounded_up_to_unit(
      static_cast<std::uint32_t>(block.shared_byte) + sm.shared_reserved_byte, sm.shared_unit_byte);

  // Warps are spread over the schedulers, each with its part of the registers.
  const std::uint32_t warps_by_registers = sm.registers / sm.schedulers / registers * sm.schedulers;
  const std::uint32_t blocks_by_shared = shared > 0 ? sm.shared_byte / shared : sm.max_blocks;
  Occupancy result = std::min(
      {Occupancy{sm.max_warps / warps, OccupancyLimit::warps, warps, sm.max_warps},
       Occupancy{sm.max_blocks, OccupancyLimit::blocks, 1, sm.max_blocks},
       Occupancy{warps_by_registers / warps, OccupancyLimit::registers,
                 std::uint64_t{registers} * rounded_up_to_unit(warps, sm.schedulers), sm.registers},
       Occupancy{blocks_by_shared, OccupancyLimit::shared_memory, shared, sm.shared_byte}},
      [](const Occupancy& a, const Occupancy& b) { return a.blocks < b.blocks; });
  result.share = static_cast<double>(result.blocks * warps) / static_cast<double>(sm.max_warps);
  return result;
}

}  // namespace roofline
