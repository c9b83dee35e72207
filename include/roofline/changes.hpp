#pragma once

// Two results held against each other: what went, what came and what changed.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/kernel_table.hpp"

namespace roofline {

/// Equal work together.
struct WorkTime {
  double count = 0;   ///< layers; of what no layer stands for, launches
  double time_s = 0;  ///< that all of them take; 0 where there is none
  // Known where layers are compared by their expected times.
  double flop = 0;
  double byte = 0;
  std::optional<Limiter> limiter;  ///< the first layer's
};

/// The same work in one result and in another, or in one of them alone.
struct Change {
  std::string name;
  std::string later_name;    ///< in the second, where it has another name there
  std::optional<Pass> pass;  ///< absent of GPU work that no layer stands for
  WorkTime before;
  WorkTime after;

  double change_s() const { return after.time_s - before.time_s; }
};

/// The largest changes first.
struct ChangeGroup {
  std::vector<Change> work;
  double before_s = 0;
  double after_s = 0;

  double change_s() const { return after_s - before_s; }
};

/// A result as a whole; of a recording, a step.
struct RunTotals {
  double work_s = 0;  ///< all layers and all other GPU work, added up
  // Known where a recording holds the gaps between its kernels.
  std::optional<double> step_s;
  std::optional<double> busy_s;  ///< less than work_s where kernels ran side by side
  std::optional<double> idle_s;
  std::optional<double> launches;
  // Known where results are compared by their expected times.
  std::optional<double> roofline_s;
  std::optional<double> time_per_image_s;
  std::optional<double> images_per_s;
  std::optional<double> flop;
  std::optional<double> byte;
  std::optional<double> needed_memory_byte;
};

/// Which times of two results are held against each other.
enum class ChangesOf : std::uint8_t {
  measured,  ///< where both have them
  expected,
};

/// Two results. Work is the same by its name and pass; of what is left over, layers that are alike
/// in all but their names. The changes of the three groups sum to that of RunTotals::work_s.
struct Changes {
  std::string before;  ///< the first result's label, GPU and setting
  std::string after;
  ChangesOf times = ChangesOf::measured;
  RunTotals before_run;
  RunTotals after_run;
  ChangeGroup gone;         ///< in the first alone
  ChangeGroup come;         ///< in the second alone
  ChangeGroup changed;      ///< in both
  bool of_kernels = false;  ///< work is kernels of recordings without layers
};

Changes changes_between(const Result& before, const Result& after);
Changes changes_between(const KernelTable& before, const KernelTable& after);

}  // namespace roofline
