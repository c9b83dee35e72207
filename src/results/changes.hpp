#pragma once

// Differences between two results.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/kernel_table.hpp"
#include "roofline/analysis.hpp"

namespace roofline {

struct WorkTime {
  double count = 0;   ///< layers, or launches of work without a layer
  double time_s = 0;  ///< total; 0 if there is no such work
  // Set if layers are compared by expected times.
  double flop = 0;
  double byte = 0;
  std::optional<Limiter> limiter;
  // Times of the measured layers; 0 for work without a layer.
  double roofline_s = 0;
  double expected_s = 0;
  std::string kernel{};  ///< its name; empty if unknown
};

/// Why the same layers take another time on another GPU: three ratios after / before, whose product
/// is the ratio of the measured times.
struct RatioSplit {
  double hardware = 1;  ///< of the roofline bounds
  double kernels = 1;   ///< of expected time / bound: how well good kernels use the hardware
  double library = 1;   ///< of measured / expected time: how well this library does
};

struct Change {
  std::string name;
  std::string later_name;    ///< name in the second result, if different
  std::optional<Pass> pass;  ///< absent for work without a layer
  WorkTime before;
  WorkTime after;
  std::optional<RatioSplit> split{};  ///< of layers measured on two GPUs

  double change_s() const { return after.time_s - before.time_s; }
};

struct ChangeGroup {
  std::vector<Change> work;
  double before_s = 0;
  double after_s = 0;
  std::optional<RatioSplit> split{};  ///< of all work together, if each has one

  double change_s() const { return after_s - before_s; }
};

/// Totals of a result; of a recording, per step.
struct RunTotals {
  double work_s = 0;  ///< sum over all layers and other GPU work
  // Known if a recording has the gaps between its kernels.
  std::optional<double> step_s;
  std::optional<double> busy_s;  ///< less than work_s if kernels ran side by side
  std::optional<double> idle_s;
  std::optional<double> launches;
  // Known if results are compared by expected times.
  std::optional<double> roofline_s;
  std::optional<double> time_per_image_s;
  std::optional<double> images_per_s;
  std::optional<double> tokens_per_s;
  std::optional<double> flop;
  std::optional<double> byte;
  std::optional<double> needed_memory_byte;
};

enum class ChangesOf : std::uint8_t {
  measured,  ///< if both results have them
  expected,
};

/// Comparison of two results. Work matches by name and pass; of the rest, layers equal in all but
/// their names match. The changes of the three groups sum to the change of RunTotals::work_s.
struct Changes {
  std::string before;  ///< label, GPU and setting of the first result
  std::string after;
  ChangesOf times = ChangesOf::measured;
  RunTotals before_run;
  RunTotals after_run;
  ChangeGroup gone;         ///< only in the first
  ChangeGroup come;         ///< only in the second
  ChangeGroup changed;      ///< in both
  bool of_kernels = false;  ///< compares kernels of recordings without layers
};

Changes changes_between(const Result& before, const Result& after);
Changes changes_between(const KernelTable& before, const KernelTable& after);

}  // namespace roofline
