#include "kernel/machine/memory_system.hpp"

#include <algorithm>

#include "kernel/constant_fields.hpp"
#include "kernel/origins.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

constexpr double mib_byte = 1024.0 * 1024.0;

double l2_size_byte_of(const Gpu& gpu, std::vector<std::string>& assumptions) {
  if (gpu.l2_byte) return std::max(static_cast<double>(*gpu.l2_byte), 0.25 * mib_byte);
  constexpr double usual_mib = 4;
  assumptions.push_back("l2_mib is not stated: " + number_text(usual_mib) + " MiB are assumed");
  return usual_mib * mib_byte;
}

/// Narrow parts (few SMs for their bandwidth) still feed their memory.
void set_bandwidth(MemorySystem& system, double bandwidth_byte_per_s, double share) {
  system.bandwidth_byte_per_s = bandwidth_byte_per_s;
  system.dram_share = share;
  system.l2_least_byte_per_s =
      std::max(system.l2_least_byte_per_s, system.l2_dram_ratio * bandwidth_byte_per_s);
}

}  // namespace

MemorySystem memory_system(const Gpu& gpu, const ModelConstants& constants,
                           std::vector<std::string>& assumptions) {
  const MemoryConstants& c = constants.values.memory;
  MemorySystem system;
  system.l2_dram_ratio = c.l2_dram_ratio;
  set_bandwidth(system, gpu.bandwidth_byte_per_s, gpu.kernel.dram_share.value_or(c.dram_share));
  system.l2_byte_per_clock_per_sm = c.l2_byte_per_clock_per_sm;
  system.l2_operand_byte_per_clock_per_sm = c.l2_operand_byte_per_clock_per_sm;
  system.l2_write_share = c.l2_write_share;
  system.l2_size_byte = l2_size_byte_of(gpu, assumptions);
  system.l2_kept_byte = c.l2_kept_share * system.l2_size_byte;
  system.l2_lost_byte = std::max(c.l2_lost_share * system.l2_size_byte, system.l2_kept_byte + 1);
  system.l2_dirty_byte = c.l2_dirty_share * system.l2_size_byte;
  system.cold_ramp_byte = c.cold_share * system.l2_size_byte;
  system.l2_latency_s = c.l2_latency_s;
  system.dram_latency_s = c.dram_latency_s;
  const LaunchConstants& launch = constants.values.launch;
  system.launch_s = gpu.kernel.launch_s.value_or(launch.start_s + launch.gap_s);
  system.gap_s = std::min(launch.gap_s, system.launch_s);
  system.stream_s = launch.stream_s;
  system.bandwidth_origin = datasheet_origin;
  system.share_origin = gpu.kernel.dram_share ? stated_origin : origin_of(constants, c.dram_share);
  system.launch_origin = gpu.kernel.launch_s ? stated_origin : origin_of(constants, launch.start_s);
  system.l2_origin = origin_of(constants, c.l2_byte_per_clock_per_sm);
  system.l2_operand_origin = origin_of(constants, c.l2_operand_byte_per_clock_per_sm);
  system.kept_origin = origin_of(constants, c.l2_kept_share);
  system.latency_origin = origin_of(constants, c.l2_latency_s);
  return system;
}

MemorySystem with_bandwidth(MemorySystem system, double sustained_byte_per_s) {
  set_bandwidth(system, sustained_byte_per_s, 1);
  system.bandwidth_origin = sustained_origin;
  system.share_origin = "a sustained ceiling is what streams reach";
  return system;
}

}  // namespace roofline
