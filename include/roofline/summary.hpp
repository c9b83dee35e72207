#pragma once

// What stands beside the rows of layers: results, GPUs and batches compared.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/batch_search.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/kernel_table.hpp"
#include "roofline/sort_by.hpp"

namespace roofline {

/// One piece of work on one of several GPUs.
struct ComparisonRow {
  std::string name;  ///< of the network, or of the layer with its pass
  std::optional<std::uint64_t> batch;
  std::string gpu;
  double time_s = 0;  ///< expected, or the bound where there is no expected time
  std::optional<Uncertainty> expected_uncertainty;
  double speedup = 1;              ///< over the first GPU
  double roofline_time_s = 0;      ///< the bound
  double compute_bound_share = 0;  ///< of the bound's time, in layers that are bound by compute
  std::optional<double> energy_at_tdp_j;  ///< time x TDP: an upper estimate
  bool fewest_joules = false;             ///< of this piece of work on these GPUs
};

/// Networks by GPUs. Empty for a single GPU.
std::vector<ComparisonRow> compare_networks(const std::vector<Result>& results);

/// The layers of each network by GPUs, those that take time, in the order of `shown`: indices of
/// rows of each result.
std::vector<ComparisonRow> compare_layers(const std::vector<Result>& results,
                                          const std::vector<std::vector<std::size_t>>& shown);

/// Equal work together.
struct WorkTime {
  double count = 0;   ///< layers; of what no layer stands for, launches
  double time_s = 0;  ///< of all of them; 0 where there is none
  // Of layers that are compared by their expected times.
  double flop = 0;
  double byte = 0;
  std::optional<Limiter> limiter;  ///< of several layers the first one's
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
  // Of a recording with the gaps between its kernels.
  std::optional<double> step_s;
  std::optional<double> busy_s;  ///< less than work_s where kernels ran side by side
  std::optional<double> idle_s;
  std::optional<double> launches;
  // Of results that are compared by their expected times.
  std::optional<double> roofline_s;
  std::optional<double> time_per_image_s;
  std::optional<double> images_per_s;
  std::optional<double> flop;
  std::optional<double> byte;
  std::optional<double> needed_memory_byte;
};

/// Of which times two results are held against each other.
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

/// What an hour of a GPU costs, by the GPU's name, in whatever money.
using Prices = std::map<std::string, double>;

/// One piece of work on one GPU, in one type, at one batch. What is by the image is known where all
/// layers have one batch.
struct OperatingPoint {
  std::string gpu;
  std::optional<DataType> dtype;         ///< absent where layers differ
  std::optional<std::uint64_t> batch;    ///< absent where layers differ
  EnumArray<BatchGoal, bool> is_goal{};  ///< what the batch was asked for as, beside by number
  double time_s = 0;                     ///< expected, or the bound where there is no expected time
  std::optional<Uncertainty> expected_uncertainty;
  double roofline_time_s = 0;             ///< the bound
  std::optional<double> measured_time_s;  ///< where every layer has one
  double compute_bound_share = 0;         ///< of the bound's time, in layers bound by compute
  std::optional<Limiter> limiter;         ///< the largest part of the expected time
  double limiter_share = 0;               ///< of the expected time
  double speedup = 1;  ///< over the first point, an image's time where it is known
  std::optional<double> time_per_image_s;
  std::optional<double> images_per_s;
  std::optional<double> tdp_w;
  std::optional<double> energy_per_image_j;  ///< at TDP: an upper estimate
  std::optional<double> cost_per_million_images;
  std::optional<std::uint64_t> needed_memory_byte;
  std::optional<bool> fits;  ///< into the GPU's memory
};

/// From which batch on one GPU is bound by compute in one type.
struct ComputeBoundFrom {
  std::string gpu;
  std::optional<DataType> dtype;
  /// The smallest of the batches from which on layers that are bound by compute have most of the
  /// bound's time; none where the largest is bound by memory.
  std::optional<std::uint64_t> batch;
};

/// One piece of work in all the ways in which it was evaluated.
struct PointTable {
  std::string network;
  bool training = false;
  std::vector<OperatingPoint> points;
  std::optional<SortBy> ranked_by;  ///< else by GPU, type and batch
  // Indices of the best points among those that fit; none where the quantity is not known.
  std::optional<std::size_t> best;  ///< least time an image
  std::optional<std::size_t> fewest_joules;
  std::optional<std::size_t> cheapest;
  std::vector<ComputeBoundFrom> compute_bound_from;  ///< for each that was swept by batch
};

/// Whether results of the same work are of one GPU, type and batch.
bool is_same_point(const Result& a, const Result& b);

/// Whether a stands before b in a ranking of the same work.
bool is_ranked_before(const Result& a, const Result& b, const Prices& price_per_hour, SortBy by);

/// Each piece of work that was evaluated in two ways or more, or in one that has a price. Ranked by
/// time, energy or cost of an image, the least first and what does not fit last, it may have been
/// evaluated in one way.
std::vector<PointTable> points_of(const std::vector<Result>& results, const Prices& price_per_hour,
                                  std::optional<SortBy> rank_by = {});

/// A network at one batch: seconds by kind of layer.
struct SweepRow {
  std::uint64_t batch = 1;
  double copies_s = 0;  ///< over the host link, where they were asked for
  double conv_s = 0;
  double linear_s = 0;
  double pool_s = 0;
  double other_s = 0;
  double total_s = 0;  ///< their sum
  std::optional<Uncertainty> expected_uncertainty;
  double roofline_time_s = 0;             ///< the bound
  std::optional<double> cached_bound_s;   ///< NetworkBounds::cached_bound_s
  std::optional<double> measured_time_s;  ///< where every layer has one
  double time_per_image_s = 0;            ///< total / batch
  double images_per_s = 0;                ///< batch / total
  std::optional<std::uint64_t> needed_memory_byte;
  std::optional<bool> fits;                  ///< into the GPU's memory
  std::map<std::string, double> measured_s;  ///< of a whole part, by its name
};

/// What a sweep sums layers up by; a file of measured times may name a part as it names layers.
struct SweepPart {
  std::string_view name;
  double SweepRow::*seconds;
};
inline constexpr std::array<SweepPart, 6> sweep_parts{{{"host copies", &SweepRow::copies_s},
                                                       {"conv", &SweepRow::conv_s},
                                                       {"linear", &SweepRow::linear_s},
                                                       {"pool", &SweepRow::pool_s},
                                                       {"other", &SweepRow::other_s},
                                                       {"total", &SweepRow::total_s}}};

struct Sweep {
  std::string network;
  std::string gpu;
  std::optional<DataType> dtype;  ///< absent where layers differ
  std::vector<SweepRow> rows;     ///< by batch
  /// The batch with the least time an image among those that fit; none where none fits.
  std::optional<std::uint64_t> best_batch;
  /// The smallest batch from which on, up to the best one, the time an image stays within
  /// near_best_share of the best: time grows as the batch does from there.
  std::optional<std::uint64_t> near_best_from;

  /// Whether any part as a whole has a measured time.
  bool has_measured_parts() const;
};

/// Each network and GPU that was evaluated at two batches or more.
std::vector<Sweep> sweeps_of(const std::vector<Result>& results);

}  // namespace roofline
