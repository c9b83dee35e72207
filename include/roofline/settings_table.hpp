#pragma once

// One piece of work in every setting in which it was evaluated: on GPUs, in data types, at batches.
// Points, rankings and sweeps are views of one table of these settings.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/enumeration.hpp"

namespace roofline {

/// What rows are put in order by, best or largest first.
enum class SortBy : std::uint8_t {
  time,
  flops,
  bytes,
  intensity,
  lost,    ///< measured time beyond the bound
  error,   ///< distance of the expected time from the measured one
  energy,  ///< an image's; on one GPU as time
  cost,    ///< an image's; on one GPU as time
};

/// Whether the key tells GPUs, types and batches apart that do the same work.
constexpr bool ranks_points(SortBy key) {
  return key == SortBy::time || key == SortBy::energy || key == SortBy::cost;
}

/// By how much the time an image may exceed the least one where a batch is as good as the best.
inline constexpr double near_best_share = 0.05;

/// What an hour of a GPU costs, by the GPU's name, in whatever money.
using Prices = std::map<std::string, double>;

/// One piece of work on one GPU, in one type, at one batch. What is said of an image is known where
/// all layers have one batch.
struct SettingRow {
  std::size_t result = 0;  ///< index of the result that it sums up
  std::string gpu;
  std::optional<DataType> dtype;         ///< absent where layers differ
  std::optional<std::uint64_t> batch;    ///< absent where layers differ
  EnumArray<BatchGoal, bool> is_goal{};  ///< what the batch was asked for as, beside by number
  double time_s = 0;                     ///< expected, or the bound where there is no expected time
  std::optional<Uncertainty> expected_uncertainty;
  double roofline_time_s = 0;             ///< the bound
  std::optional<double> measured_time_s;  ///< where every layer has one
  double compute_bound_share = 0;  ///< of the bound's time, what is in layers bound by compute
  std::optional<Limiter> limiter;  ///< the largest part of the expected time
  double limiter_share = 0;        ///< 0..1, of the expected time
  double speedup = 1;              ///< over the table's first row
  std::optional<double> time_per_image_s;
  std::optional<double> images_per_s;
  std::optional<double> tdp_w;
  std::optional<double> energy_per_image_j;  ///< time x TDP: an upper estimate
  std::optional<double> cost_per_million_images;
  std::optional<Framework> framework;        ///< that runs it
  std::optional<double> eager_images_per_s;  ///< by Result::eager_time_s
  std::optional<std::uint64_t> rank;         ///< in a ranking, from 1; ranges that overlap share it
  bool tied = false;                         ///< its range overlaps that of the best
  std::optional<std::uint64_t> needed_memory_byte;
  std::optional<bool> fits;  ///< into the GPU's memory
};

/// What rows are ranked by: an image's time, energy or cost.
const std::optional<double>& ranked_quantity(const SettingRow& row, SortBy by);

struct SettingsTable {
  std::string work;  ///< the network
  bool training = false;
  std::vector<SettingRow> rows;
  std::optional<SortBy> ranked_by;
  // Indices of rows; none where the quantity is not known, or nothing fits into memory.
  std::optional<std::size_t> best;  ///< least time an image
  std::optional<std::size_t> fewest_joules;
  std::optional<std::size_t> cheapest;
  /// In a sweep the row from which on, up to the best one, the time an image stays within
  /// near_best_share of the best: from there on time grows as the batch does.
  std::optional<std::size_t> near_best_from;
};

/// A table for each piece of work, its rows in the order of the results; a setting that comes again
/// is left out.
std::vector<SettingsTable> settings_of(const std::vector<Result>& results, const Prices& prices);

/// The tables of two rows or more, by GPU, type and batch; ranked by time, energy or cost of an
/// image, the least first and what does not fit last. With prices or a ranking one row is enough.
std::vector<SettingsTable> points_of(std::vector<SettingsTable> tables, bool has_prices,
                                     std::optional<SortBy> rank_by = {});

/// A table for each network, GPU and type that was evaluated at two batches or more, by batch.
std::vector<SettingsTable> sweeps_of(std::vector<SettingsTable> tables);

/// A network at any batch from 1 on.
using NetworkAtBatch = std::function<Expected<Network>(std::uint64_t batch)>;

/// The largest batch that fits is the largest whose needed memory (network.hpp) is at most the
/// GPU's without what is reserved (reserved_memory_byte). The best one is of 1, 2, 4, ... and that
/// largest: the smallest from which on, up to the one with the least time an image, this time is
/// within near_best_share of the least. An error where not even one image fits, where nothing grows
/// with the batch, and where the GPU's memory is not known.
Expected<std::uint64_t> find_batch(BatchGoal goal, const NetworkAtBatch& network_at,
                                   const Context& context);

/// Sets the best of rows by rising batch, and from which on it is nearly reached.
void find_best_batch(SettingsTable& table);

/// Whether results of the same work are of one GPU, type and batch.
bool is_same_setting(const Result& a, const Result& b);

/// Whether a stands before b in a ranking of the same work.
bool is_ranked_before(const Result& a, const Result& b, const Prices& prices, SortBy by);

}  // namespace roofline
