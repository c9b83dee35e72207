#pragma once

// The numbers that the kernel models take from a GPU's datasheet, with a default for each absent
// one; its memory system, where they are joined with constants of its architecture; and how many
// blocks of a kernel one multiprocessor holds at once. Resolving them once keeps optionals out of
// the inner loops.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/constants.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

// Where numbers come from, as derivations say it, where a table of constants does not.
inline constexpr const char* datasheet_origin = "datasheet";
inline constexpr const char* stated_origin = "stated in the GPU's file";
inline constexpr const char* sustained_origin = "sustained ceiling";

/// What a multiprocessor can hold, and how finely it is given out.
struct SmLimits {
  std::uint32_t warp_size = 32;
  std::uint32_t schedulers = 4;  ///< each wants a warp of its own: fewer leave arithmetic idle
  std::uint32_t max_warps = 64;
  std::uint32_t max_blocks = 32;
  std::uint32_t max_threads_per_block = 1024;
  std::uint32_t registers = 65536;
  std::uint32_t register_unit_per_warp = 256;  ///< registers are given to a warp in this many
  std::uint32_t max_registers_per_thread = 255;
  std::uint32_t shared_byte = 98304;
  std::uint32_t shared_byte_per_block = 49152;
  std::uint32_t shared_unit_byte = 256;
  std::uint32_t shared_reserved_byte = 0;  ///< that the system takes a block (1 KiB from Ampere)
};

struct Machine {
  Architecture architecture = Architecture::hopper;
  std::uint32_t compute_capability = 0;  ///< major * 10 + minor; 0 where there is none
  double sm_count = 1;
  double clock_hz = 1.5e9;
  double issue_share = 1;      ///< instructions a clock and SM, relative to four warps of 32
  double tdp_w = 0;            ///< 0: not published
  const char* sm_origin = "";  ///< literals
  const char* clock_origin = "";
  SmLimits sm;
};

/// Whether NVIDIA's libraries run on it.
inline bool has_cudnn(const Machine& machine) {
  return info(machine.architecture).vendor == info(Architecture::hopper).vendor;
}

/// Adds to `assumptions` what the GPU does not state.
Machine machine_of(const Gpu& gpu, std::vector<std::string>& assumptions);

/// No optionals, base units.
struct MemorySystem {
  const MemoryConstants* constants = nullptr;  ///< in ResolvedModel::constants
  double bandwidth_byte_per_s = 0;
  double dram_share = 1;           ///< of it that long streams sustain
  double l2_least_byte_per_s = 0;  ///< what feeds device memory
  double l2_size_byte = 0;
  double l2_kept_byte = 0;
  double l2_lost_byte = 0;
  double l2_dirty_byte = 0;
  double cold_ramp_byte = 0;  ///< of a cold working set below it, some lines are in L2 after all
  double launch_s = 0;        ///< from one kernel to the next in a CUDA graph
  double gap_s = 0;           ///< of that, between the two
  double stream_s = 0;        ///< more from one library call to the next
  double call_s = 0;          ///< from the call of a compiled model to its graph
  double submit_s = 0;        ///< least, from one layer to the next

  // Where they come from.
  std::string bandwidth_origin;
  std::string share_origin;
  std::string launch_origin;
  std::string kept_origin;
};

/// Adds to `assumptions` what the GPU does not state.
MemorySystem memory_system(const Gpu& gpu, const ModelConstants& constants,
                           std::vector<std::string>& assumptions);

/// The same with a device memory that sustains this rate.
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

/// Registers are given to whole warps in units (256 registers), warps to all schedulers alike;
/// shared memory in units of 128 or 256 byte, from Ampere on with 1 KiB more for each block. The
/// smallest of the register, shared-memory, warp and block limits holds. A mapping of which not one
/// block fits is impossible: `limit` says which resource is exceeded, `needed` and `available` by
/// how much.
Occupancy occupancy(const SmLimits& sm, const BlockResources& block);

}  // namespace roofline
