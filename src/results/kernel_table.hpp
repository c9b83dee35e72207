#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/recording.hpp"
#include "roofline/analysis.hpp"
#include "roofline/context.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/error.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

enum class KernelRoof : std::uint8_t { compute, dram, l2 };

struct KernelRow {
  RecordedKernel kernel;
  double time_share = 0;         ///< 0..1, of all kernels' time
  std::optional<double> flop;    ///< of all units
  std::optional<Engine> engine;  ///< the unit with the longest time at its peak
  std::optional<double> flop_per_s;
  std::optional<double> dram_byte_per_s;
  std::optional<double> l2_byte_per_s;
  std::optional<double> intensity_flop_per_byte;  ///< over DRAM bytes
  std::optional<double> l2_intensity_flop_per_byte;
  /// Achieved rate over ceiling; for compute, the ceiling of `engine`.
  EnumArray<KernelRoof, std::optional<double>> roof_share;
  std::optional<KernelRoof> nearest_roof;
};

/// Recorded kernels under the roofs of their GPU: their times and, with hardware counters, their
/// place on the hierarchical roofline (Yang, Kurth, Williams, "Hierarchical Roofline Analysis for
/// GPUs", Concurrency and Computation: Practice and Experience 32(20), 2020). A kernel has one
/// intensity for each level of memory: its FLOP over the bytes moved there. Counters include tile
/// padding and traffic beyond the algorithm's; there is no layer for comparison.
struct KernelTable {
  std::shared_ptr<const KernelRecording> recording;
  std::string gpu;               ///< name in the catalogue, else as recorded; may be empty
  std::optional<Bounds> bounds;  ///< absent without counters or with an unknown GPU
  std::vector<KernelRow> rows;   ///< in descending order of time
  double time_s = 0;             ///< of all kernels
  std::uint64_t launches = 0;
};

/// `context`: of the recorded GPU; null if unknown. An error without a recording.
Expected<KernelTable> place_kernels(std::shared_ptr<const KernelRecording> recording,
                                    const Context* context);

}  // namespace roofline
