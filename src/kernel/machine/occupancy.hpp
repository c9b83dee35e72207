#pragma once

// How many blocks of a kernel one multiprocessor holds at once.
//
// Registers are given to whole warps in units (256 registers), warps to all schedulers alike;
// shared memory in units of 128 or 256 byte, from Ampere on with 1 KiB more for each block. The
// smallest of the register, shared-memory, warp and block limits holds. A mapping of which not one
// block fits is impossible: `limit` says which resource is exceeded, `needed` and `available` by
// how much.

#include <cstdint>
#include <string_view>

#include "kernel/machine/machine.hpp"

namespace roofline {

enum class OccupancyLimit : std::uint8_t {
  warps,
  blocks,
  registers,
  shared_memory,
  threads_per_block,     ///< impossible only
  registers_per_thread,  ///< impossible only
};

constexpr std::string_view name_of(OccupancyLimit limit) {
  switch (limit) {
    case OccupancyLimit::warps: return "resident warps";
    case OccupancyLimit::blocks: return "resident blocks";
    case OccupancyLimit::registers: return "registers a block";
    case OccupancyLimit::shared_memory: return "bytes of shared memory a block";
    case OccupancyLimit::threads_per_block: return "threads a block";
    case OccupancyLimit::registers_per_thread: return "registers a thread";
  }
  return {};
}

struct BlockResources {
  std::uint32_t threads = 128;
  std::uint32_t registers = 64;  ///< a thread
  std::uint64_t shared_byte = 0;
};

struct Occupancy {
  std::uint32_t blocks = 0;  ///< a multiprocessor; 0: the block cannot run
  double share = 0;          ///< resident threads / the most
  OccupancyLimit limit = OccupancyLimit::warps;
  std::uint64_t needed = 0;  ///< by one block (or thread), where blocks == 0
  std::uint64_t available = 0;
};

Occupancy occupancy(const SmLimits& sm, const BlockResources& block);

}  // namespace roofline
