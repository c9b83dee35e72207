#pragma once

// A GPU as its file describes it (configs/gpus/*.json), or a share of one, in base units. Absent
// means not published.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roofline/engine.hpp"

namespace roofline {

/// Ceilings measured on a real part, where the datasheet's cannot be reached.
struct SustainedCeilings {
  EngineRates peak_flop_per_s;
  std::optional<double> bandwidth_byte_per_s;
  std::string source;
};

/// Constants of the kernel model that a part's file may state in place of its architecture's.
struct KernelConstants {
  std::optional<double> math_share;  ///< how much of the peak large dense kernels sustain
  std::optional<double> dram_share;  ///< how much of the bandwidth long streams sustain
  std::optional<double> launch_s;    ///< from one kernel to the next
};

struct ModelConstants;  // src/kernel/constants.hpp

struct Source {
  std::string title;
  std::string date;
  std::vector<std::string> fields;
};

/// A field that was set for a run.
struct GpuChange {
  std::string field;  ///< "bandwidth"; of one engine's peak "peak.fp32"
  /// The unit of the numbers: "B/s", "MiB"; empty for counts, "x" where all peaks are multiplied.
  std::string unit;
  std::optional<double> from;  ///< absent where it is not published
  double to = 0;
};

struct Gpu {
  std::string name;
  std::vector<std::string> aliases;
  std::string share;  ///< what a MIG slice or a virtual GPU has of which part
  std::string vendor;
  std::string architecture;
  std::string compute_capability;

  EngineRates peak_flop_per_s;      ///< dense; at least one is present
  double bandwidth_byte_per_s = 0;  ///< to and from device memory
  EngineRates flop_per_clock_per_sm;
  std::optional<std::uint64_t> sm_count;  ///< AMD: compute units; Intel: Xe-cores
  std::optional<double> boost_clock_hz;

  std::optional<std::uint64_t> memory_byte;
  std::string memory_type;
  std::optional<std::uint64_t> memory_bus_bit;
  std::optional<double> memory_data_rate_bit_per_s;  ///< a pin
  std::optional<std::uint64_t> l2_byte;
  std::optional<std::uint64_t> l3_byte;
  std::optional<std::uint64_t> shared_memory_byte_per_sm;
  std::optional<std::uint64_t> shared_memory_byte_per_block;
  std::optional<std::uint64_t> registers_per_sm;  ///< each 32 bits wide
  std::optional<std::uint64_t> max_threads_per_sm;
  std::optional<std::uint64_t> max_blocks_per_sm;
  std::optional<std::uint64_t> warp_size;
  std::optional<double> host_link_byte_per_s;      ///< one direction, as specified
  std::optional<double> host_pinned_byte_per_s;    ///< measured copy rate from page-locked memory
  std::optional<double> host_pageable_byte_per_s;  ///< measured copy rate from ordinary memory
  std::optional<double> host_operator_s;           ///< measured: a framework's operator, eagerly
  std::optional<double> tdp_w;

  std::optional<SustainedCeilings> sustained;
  KernelConstants kernel;
  /// The kernel model's constants: those that the file names or holds, else its architecture's.
  std::shared_ptr<const ModelConstants> constants;
  std::vector<std::string> notes;
  std::vector<Source> sources;
  std::vector<GpuChange> changes;  ///< to the part that is sold
};

}  // namespace roofline
