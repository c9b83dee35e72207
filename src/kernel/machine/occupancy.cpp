#include "kernel/machine/occupancy.hpp"

#include <algorithm>

namespace roofline {
namespace {

constexpr std::uint32_t rounded_up_to_unit(std::uint32_t value, std::uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Registers of one warp, rounded up to the allocation unit.
std::uint32_t warp_registers(const SmLimits& sm, std::uint32_t registers) {
  return rounded_up_to_unit(registers * sm.warp_size, sm.register_unit_per_warp);
}

Occupancy impossible(OccupancyLimit limit, std::uint64_t needed, std::uint64_t available) {
  return {0, 0, limit, needed, available};
}

}  // namespace

Occupancy occupancy(const SmLimits& sm, const BlockResources& block) {
  if (block.threads > sm.max_threads_per_block)
    return impossible(OccupancyLimit::threads_per_block, block.threads, sm.max_threads_per_block);
  if (block.registers > sm.max_registers_per_thread)
    return impossible(OccupancyLimit::registers_per_thread, block.registers,
                      sm.max_registers_per_thread);
  if (block.shared_byte > sm.shared_byte_per_block)
    return impossible(OccupancyLimit::shared_memory, block.shared_byte, sm.shared_byte_per_block);
  const std::uint32_t warps = std::max(1U, (block.threads + sm.warp_size - 1) / sm.warp_size);
  const std::uint32_t registers = warp_registers(sm, std::max(1U, block.registers));
  const std::uint32_t shared = rounded_up_to_unit(
      static_cast<std::uint32_t>(block.shared_byte) + sm.shared_reserved_byte, sm.shared_unit_byte);

  // Warps are spread over the schedulers, each with its part of the registers.
  const std::uint32_t warps_by_registers = sm.registers / sm.schedulers / registers * sm.schedulers;
  Occupancy result;
  result.blocks = sm.max_warps / warps;
  const auto apply = [&result](std::uint32_t blocks, OccupancyLimit limit) {
    if (blocks >= result.blocks) return;
    result.blocks = blocks;
    result.limit = limit;
  };
  apply(sm.max_blocks, OccupancyLimit::blocks);
  apply(warps_by_registers / warps, OccupancyLimit::registers);
  if (shared > 0) apply(sm.shared_byte / shared, OccupancyLimit::shared_memory);
  if (result.blocks == 0 && result.limit == OccupancyLimit::registers)
    return impossible(result.limit,
                      std::uint64_t{registers} * rounded_up_to_unit(warps, sm.schedulers),
                      sm.registers);
  if (result.blocks == 0 && result.limit == OccupancyLimit::shared_memory)
    return impossible(result.limit, shared, sm.shared_byte);
  if (result.blocks == 0) return impossible(result.limit, warps, sm.max_warps);
  result.share = static_cast<double>(result.blocks * warps) / static_cast<double>(sm.max_warps);
  return result;
}

}  // namespace roofline
