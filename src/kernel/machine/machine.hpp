#pragma once

// The numbers the kernel models take from a GPU's datasheet, with a default for each absent one.
// Resolving them once keeps strings and optionals out of the inner loops.

#include <cstdint>
#include <string>
#include <vector>

#include "roofline/gpu.hpp"

namespace roofline {

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
  std::uint32_t shared_reserved_byte =
      0;  ///< taken by the system for each block (1 KiB from Ampere)
};

struct Machine {
  Architecture architecture = Architecture::hopper;
  std::uint32_t compute_capability = 0;  ///< major * 10 + minor; 0 where there is none
  double sm_count = 1;
  double clock_hz = 1.5e9;
  double issue_share = 1;        ///< instructions a clock and SM, relative to four warps of 32
  double issue_clock_per_s = 0;  ///< SM clocks a second over the whole part, scaled by that
  double tdp_w = 0;              ///< 0: not published
  const char* sm_origin = "";    ///< literals
  const char* clock_origin = "";
  SmLimits sm;
};

/// Adds to `assumptions` what the GPU does not state.
Machine machine_of(const Gpu& gpu, std::vector<std::string>& assumptions);

}  // namespace roofline
