#pragma once

// The memory system of a GPU as the kernel models see it: datasheet numbers joined with constants
// of its architecture. Every constant is a physical quantity; memory_constants.cpp says beside each
// value how it was obtained.

#include <cstdint>

#include "roofline/architecture.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

/// Constants of one architecture, independent of a part's size.
struct MemoryConstants {
  double dram_share;                ///< of the datasheet bandwidth that a long stream sustains
  double l2_byte_per_clock_per_sm;  ///< L2 to SM, all SMs at once
  double l2_write_share;            ///< of that rate for writes alone
  double l2_kept_share;   ///< of the L2's size: a working set below it stays wholly resident
  double l2_lost_share;   ///< of the L2's size: a working set above it keeps nothing
  double l2_dirty_share;  ///< of the L2's size: written lines that wait there, at most
  double l2_latency_s;    ///< one dependent access that hits L2, issue included
  double dram_latency_s;  ///< one dependent access that misses L2
  double launch_s;        ///< from the end of one kernel to the start of the next
  double issue_share;     ///< instructions a clock and SM, relative to four warps of 32
};

/// One GPU, resolved: no optionals, base units.
struct MemorySystem {
  double sm_count = 1;
  double clock_hz = 1e9;
  double dram_byte_per_s = 0;  ///< sustained
  double l2_byte_per_s = 0;
  double l2_write_byte_per_s = 0;
  double l2_size_byte = 0;
  double l2_kept_byte = 0;
  double l2_lost_byte = 0;
  double l2_dirty_byte = 0;
  double l2_latency_s = 0;
  double dram_latency_s = 0;
  double latency_scale = 1;  ///< of chained steps, relative to the part they were measured on
  double launch_s = 0;
  double issue_clock_per_s = 0;  ///< SM clocks a second over the whole part, scaled by issue width
  double max_threads_per_sm = 2048;
};

const MemoryConstants& memory_constants(Architecture architecture);

MemorySystem memory_system(const Gpu& gpu, const MemoryConstants& constants);
inline MemorySystem memory_system(const Gpu& gpu) {
  return memory_system(gpu, memory_constants(architecture_of(gpu)));
}

}  // namespace roofline
