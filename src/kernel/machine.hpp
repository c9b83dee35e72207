#pragma once

// Numbers of the kernel model from a GPU's datasheet, with a default for each absent one; its
// memory system; and resident blocks. Resolving them once keeps optionals out of inner loops.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/architecture.hpp"
#include "kernel/constants.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

// Origins in derivations of numbers outside tables of constants.
inline constexpr const char* datasheet_origin = "datasheet";
inline constexpr const char* stated_origin = "stated in the GPU's file";
inline constexpr const char* sustained_origin = "sustained ceiling";

/// Resources of an SM and their allocation units.
struct SmLimits {
  std::uint32_t warp_size = 32;
  std::uint32_t schedulers = 4;  ///< each needs a warp of its own: fewer leave arithmetic idle
  std::uint32_t max_warps = 64;
  std::uint32_t max_blocks = 32;
  std::uint32_t max_threads_per_block = 1024;
  std::uint32_t registers = 65536;
  std::uint32_t register_unit_per_warp = 256;  ///< unit of allocation to a warp
  std::uint32_t max_registers_per_thread = 255;
  std::uint32_t shared_byte = 98304;
  std::uint32_t shared_byte_per_block = 49152;
  std::uint32_t shared_unit_byte = 256;
  std::uint32_t shared_reserved_byte = 0;  ///< taken per block by the system (1 KiB from Ampere)
};

struct Machine {
  Architecture architecture = Architecture::hopper;
  std::uint32_t compute_capability = 0;  ///< major * 10 + minor; 0 if there is none
  double sm_count = 1;
  double clock_hz = 1.5e9;
  double issue_share = 1;      ///< instructions per clock and SM, relative to four warps of 32
  double tdp_w = 0;            ///< 0: not published
  const char* sm_origin = "";  ///< literals
  const char* clock_origin = "";
  SmLimits sm;
};

inline bool has_cudnn(const Machine& machine) {
  return info(machine.architecture).vendor == info(Architecture::hopper).vendor;
}

/// Adds to `assumptions` for data missing in the GPU's file.
Machine machine_of(const Gpu& gpu, std::vector<std::string>& assumptions);

struct MemorySystem {
  const MemoryConstants* constants = nullptr;  ///< in ResolvedModel::constants
  double bandwidth_byte_per_s = 0;
  double dram_share = 1;           ///< share of the bandwidth sustained by long streams
  double l2_least_byte_per_s = 0;  ///< enough to feed device memory
  double l2_size_byte = 0;
  double l2_kept_byte = 0;
  double l2_lost_byte = 0;
  double l2_dirty_byte = 0;
  double cold_ramp_byte = 0;  ///< cold working sets below this size find some lines in L2
  double launch_s = 0;        ///< from one kernel to the next in a CUDA graph
  double gap_s = 0;           ///< part of launch_s between the two kernels
  double stream_s = 0;        ///< additional time from one library call to the next
  double engine_share = 1;    ///< of stream_s, from one layer of an inference engine to the next
  double call_s = 0;          ///< from the call of a compiled model to its graph
  double submit_s = 0;        ///< minimum from one layer to the next

  std::string bandwidth_origin;
  std::string share_origin;
  std::string launch_origin;
  std::string kept_origin;
};

MemorySystem memory_system(const Gpu& gpu, const ModelConstants& constants,
                           std::vector<std::string>& assumptions);

MemorySystem with_bandwidth(MemorySystem system, double sustained_byte_per_s);

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
  std::uint32_t registers = 64;  ///< per thread
  std::uint64_t shared_byte = 0;
};

struct Occupancy {
  std::uint32_t blocks = 0;  ///< per SM; 0: the block cannot run
  OccupancyLimit limit = OccupancyLimit::warps;
  std::uint64_t needed = 0;     ///< of the limiting resource, by one block (or thread)
  std::uint64_t available = 0;  ///< of an SM
  double share = 0;             ///< resident threads / maximum
};

/// Registers are allocated to whole warps in units (256 registers), warps to all schedulers
/// equally; shared memory in units of 128 or 256 byte, from Ampere on with 1 KiB more per block.
/// The smallest of the register, shared-memory, warp and block limits holds.
Occupancy occupancy(const SmLimits& sm, const BlockResources& block);

}  // namespace roofline
