#include "kernel/machine/machine.hpp"

#include <algorithm>

#include "kernel/origins.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

std::uint32_t shared_per_sm_byte(std::uint32_t capability) {
  switch (capability) {
    case 37: return 112 << 10;
    case 52:
    case 61:
    case 70: return 96 << 10;
    case 80:
    case 87: return 164 << 10;
    case 86:
    case 89:
    case 120: return 100 << 10;
    case 90:
    case 100:
    case 103: return 228 << 10;
    case 30:
    case 35: return 48 << 10;
    default: return 64 << 10;
  }
}

std::uint32_t max_threads(std::uint32_t capability) {
  if (capability == 75) return 1024;
  if (capability == 86 || capability == 89 || capability == 120) return 1536;
  return 2048;
}

std::uint32_t max_blocks(std::uint32_t capability) {
  if (capability >= 30 && capability < 50) return 16;
  if (capability == 75 || capability == 86) return 16;
  if (capability == 89) return 24;
  return 32;
}

/// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
SmLimits nvidia_limits(std::uint32_t capability) {
  SmLimits sm;
  if (capability == 0) return sm;
  if (capability == 60) sm.schedulers = 2;  // GP100 has two of 32 lanes an SM
  sm.registers = capability == 37 ? 131072 : 65536;
  sm.shared_byte = shared_per_sm_byte(capability);
  sm.max_warps = max_threads(capability) / 32;
  sm.max_blocks = max_blocks(capability);
  sm.shared_unit_byte = capability >= 80 ? 128 : 256;
  sm.shared_reserved_byte = capability >= 80 ? 1024 : 0;
  if (capability < 70)
    sm.shared_byte_per_block = 49152;
  else if (capability < 80)
    sm.shared_byte_per_block = sm.shared_byte;
  else
    sm.shared_byte_per_block = sm.shared_byte - 1024;
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

/// Instructions a clock and SM, relative to four warps of 32. GP100 has half the schedulers of the
/// other Pascal parts.
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
  const double count = std::max(1.0, fp32 / (2 * lanes * clock_hz));
  assumptions.push_back("sm_count is not stated: " + number_text(count) +
                        " SMs are assumed, what " + number_text(fp32 / 1e12) +
                        " TFLOP/s in fp32 need at " + number_text(lanes) + " lanes an SM");
  return count;
}

/// What the architecture is taken from, where the GPU does not state one that is known.
void note_architecture(const Gpu& gpu, Architecture assumed,
                       std::vector<std::string>& assumptions) {
  if (stated_architecture(gpu)) return;
  const std::string stated = gpu.architecture.empty()
                                 ? "architecture is not stated"
                                 : "architecture \"" + gpu.architecture + "\" is not known";
  assumptions.push_back(stated + ": constants of " + std::string(info(assumed).name) +
                        " are assumed");
}

}  // namespace

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
  machine.issue_clock_per_s = machine.sm_count * machine.clock_hz * machine.issue_share;
  machine.sm_origin = gpu.sm_count ? datasheet_origin : "assumed from the fp32 peak";
  machine.clock_origin = gpu.boost_clock_hz ? datasheet_origin : "assumed";
  machine.tdp_w = gpu.tdp_w.value_or(0);
  return machine;
}

}  // namespace roofline
