#pragma once

// The memory system of a GPU as the kernel models see it: datasheet numbers joined with constants
// of its architecture. Every constant is a physical quantity; memory_constants.cpp says beside each
// value how it was obtained.

#include <string>
#include <vector>

#include "model/kernel/machine.hpp"
#include "roofline/architecture.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

/// An empty kernel in a CUDA graph on an H200.
inline constexpr double graph_launch_s = 1.15e-6;

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
  const char* origin;     ///< a literal: where they come from
};

/// One GPU, resolved: no optionals, base units.
struct MemorySystem {
  double bandwidth_byte_per_s = 0;
  double dram_share = 1;
  double dram_byte_per_s = 0;  ///< sustained: bandwidth x share
  double l2_byte_per_clock_per_sm = 0;
  double l2_least_byte_per_s = 0;  ///< what feeds device memory
  double l2_byte_per_s = 0;
  double l2_write_share = 1;  ///< of that rate for writes alone
  double l2_size_byte = 0;
  double l2_kept_byte = 0;
  double l2_lost_byte = 0;
  double l2_dirty_byte = 0;
  double l2_latency_s = 0;
  double dram_latency_s = 0;
  double latency_scale = 1;  ///< of chained steps, relative to the part they were measured on
  double launch_s = 0;

  // Where they come from: literals.
  const char* bandwidth_origin = "datasheet";
  const char* share_origin = "";
  const char* launch_origin = "";
  const char* origin = "";  ///< all others
};

const MemoryConstants& memory_constants(Architecture architecture);

/// Adds to `assumptions` what the GPU does not state.
MemorySystem memory_system(const Gpu& gpu, const Machine& machine,
                           std::vector<std::string>& assumptions);

/// The same with a device memory that sustains this rate.
MemorySystem with_bandwidth(MemorySystem system, double sustained_byte_per_s);

}  // namespace roofline
