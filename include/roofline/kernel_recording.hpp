#pragma once

// Kernels as a profiler saw them, where nothing says which layers they were.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofline/engine.hpp"
#include "roofline/trace.hpp"

namespace roofline {

/// What hardware counters saw of a kernel, over all its launches. Absent: not counted.
struct KernelCounters {
  EnumArray<Engine, std::optional<double>> flop;  ///< by the units that did them
  std::optional<double> dram_byte;
  std::optional<double> l2_byte;

  bool any() const;
  /// The sum over all units; none where none was counted.
  std::optional<double> flop_in_all() const;
};

/// Launches of one kernel; with counters, those of one grid.
struct RecordedKernel {
  std::string name;   ///< as recorded
  std::string grid;   ///< "(2, 784, 1)"; empty where launches differ, or nothing is known
  std::string block;  ///< likewise
  std::uint64_t launches = 1;
  double time_s = 0;                ///< of all launches
  std::optional<double> occupancy;  ///< achieved, 0..1, of the last launch
  std::optional<double> registers;  ///< a thread's
  KernelCounters counters;
};

/// One launch takes so long.
inline double mean_time_s(const RecordedKernel& kernel) {
  return kernel.time_s / static_cast<double>(kernel.launches);
}

struct KernelRecording {
  std::string name;      ///< the file's
  std::string source;    ///< the input
  std::string recorder;  ///< "Nsight Compute"
  RecordedGpu gpu;
  std::vector<RecordedKernel> kernels;  ///< in descending order of time
  // Where every launch has its start.
  std::optional<double> span_s;    ///< from the first start to the last end
  std::optional<double> busy_s;    ///< of that, with at least one kernel or copy running
  std::vector<std::string> notes;  ///< what was left out

  bool has_counters() const;
};

}  // namespace roofline
