#pragma once

// The memory system of a GPU as the kernel models see it: datasheet numbers joined with constants
// of its architecture.

#include <string>
#include <vector>

#include "kernel/constants.hpp"
#include "kernel/machine/machine.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

/// One GPU, resolved: no optionals, base units.
struct MemorySystem {
  double bandwidth_byte_per_s = 0;
  double dram_share = 1;  ///< of it that long streams sustain
  double l2_byte_per_clock_per_sm = 0;
  double l2_operand_byte_per_clock_per_sm = 0;  ///< of tiles' operands
  double l2_dram_ratio = 1;
  double l2_least_byte_per_s = 0;  ///< what feeds device memory
  double l2_write_share = 1;       ///< of that rate for writes alone
  double l2_size_byte = 0;
  double l2_kept_byte = 0;
  double l2_lost_byte = 0;
  double l2_dirty_byte = 0;
  double cold_ramp_byte = 0;  ///< of a cold working set below it, some lines are in L2 after all
  double l2_latency_s = 0;
  double dram_latency_s = 0;
  double launch_s = 0;  ///< from one kernel to the next in a CUDA graph
  double gap_s = 0;     ///< of that, between the two
  double stream_s = 0;  ///< more from one library call to the next

  // Where they come from.
  std::string bandwidth_origin;
  std::string share_origin;
  std::string launch_origin;
  std::string l2_origin;
  std::string l2_operand_origin;
  std::string kept_origin;
  std::string latency_origin;
};

/// Adds to `assumptions` what the GPU does not state.
MemorySystem memory_system(const Gpu& gpu, const ModelConstants& constants,
                           std::vector<std::string>& assumptions);

/// The same with a device memory that sustains this rate.
MemorySystem with_bandwidth(MemorySystem system, double sustained_byte_per_s);

}  // namespace roofline
