#pragma once

// The same work in all its settings: the table behind points, rankings and sweeps.

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

/// Sort keys, best or largest first.
enum class SortBy : std::uint8_t {
  time,
  flops,
  bytes,
  intensity,
  lost,   ///< measured time beyond the bound
  error,  ///< distance of the expected from the measured time
  cost,   ///< per image; on one GPU as time
};

/// Whether the key compares settings of the same work.
constexpr bool ranks_points(SortBy key) { return key == SortBy::time || key == SortBy::cost; }

/// A batch is nearly the best if its time per image exceeds the least by at most this share.
inline constexpr double near_best_share = 0.05;

/// Price of an hour by the GPU's name, in any currency.
using Prices = std::map<std::string, double>;

/// One setting. Values per image are known if all layers have one batch.
struct SettingRow {
  std::size_t result = 0;
  std::string gpu;
  std::optional<DataType> dtype;         ///< absent if layers differ
  std::optional<Layout> layout;          ///< Setting::layout
  std::optional<std::uint64_t> batch;    ///< absent if layers differ
  EnumArray<BatchGoal, bool> is_goal{};  ///< goals of a searched batch
  double time_s = 0;                     ///< expected time, else the bound
  std::optional<Uncertainty> expected_uncertainty;
  double roofline_time_s = 0;
  std::optional<double> measured_time_s;  ///< present if every layer has one
  double compute_bound_share = 0;         ///< share of roofline time in compute-bound layers
  std::optional<Limiter> limiter;
  double limiter_share = 0;  ///< 0..1, of the expected time
  double speedup = 1;        ///< over the table's first row
  std::optional<double> time_per_image_s;
  // A language model has the second of each pair, other networks the first.
  std::optional<double> images_per_s;
  std::optional<double> tokens_per_s;
  std::optional<double> tdp_w;
  std::optional<double> cost_per_million_images;
  std::optional<double> cost_per_million_tokens;
  std::optional<Framework> framework;
  bool kernels_alone = false;         ///< of a network that no named software runs
  std::optional<std::uint64_t> rank;  ///< in a ranking, from 1; overlapping ranges share it
  bool tied = false;                  ///< its range overlaps the best row's
  std::optional<std::uint64_t> needed_memory_byte;
  std::optional<bool> fits;
  bool in_time = true;  ///< takes at most the longest time asked for

  bool qualifies() const { return fits.value_or(true) && in_time; }
};

/// Time or cost of an image, or of a language model's token; the time of all layers if they have no
/// batch in common.
std::optional<double> ranked_quantity(const SettingRow& row, SortBy by);

struct SettingsTable {
  std::string work;
  bool training = false;
  std::vector<SettingRow> rows;
  std::optional<SortBy> ranked_by;
  std::optional<double> max_time_s;  ///< slower settings do not qualify
  // Indices of rows; nullopt if the quantity is unknown, or nothing qualifies.
  std::optional<std::size_t> best;  ///< least time per image
  std::optional<std::size_t> cheapest;
  /// In a sweep, the first row from which, up to the best, the time per image stays within
  /// near_best_share of the best; beyond it time grows in proportion to the batch.
  std::optional<std::size_t> near_best_from;
};

/// One table for each piece of work, rows in the order of the results, without repeated settings.
std::vector<SettingsTable> settings_of(const std::vector<Result>& results, const Prices& prices,
                                       std::optional<double> max_time_s = {});

/// Tables with two rows or more (with prices or a ranking: one), sorted by GPU, framework, type and
/// batch; or ranked by time or cost of an image, the least first, settings that do not qualify
/// last.
std::vector<SettingsTable> points_of(std::vector<SettingsTable> tables, bool has_prices,
                                     std::optional<SortBy> rank_by = {});

/// One table for each network, GPU, framework and type evaluated at two batches or more, sorted by
/// batch.
std::vector<SettingsTable> sweeps_of(std::vector<SettingsTable> tables);

/// A network at any batch >= 1.
using NetworkAtBatch = std::function<Expected<Network>(std::uint64_t batch)>;

/// max: the largest batch whose needed memory (network.hpp) is at most the GPU's minus
/// reserved_memory_byte. best: of 1, 2, 4, ... and max, the smallest from which, up to the one with
/// the least time per image, this time is within near_best_share of the least; of those that take
/// at most `max_time_s`, or 1 if there is no such batch. Errors: one image does not fit, nothing
/// grows with the batch, or the GPU's memory is unknown.
Expected<std::uint64_t> find_batch(BatchGoal goal, const NetworkAtBatch& network_at,
                                   const Context& context, std::optional<double> max_time_s = {});

/// Sets best and near_best_from for rows sorted by batch.
void find_best_batch(SettingsTable& table);

bool is_same_setting(const Result& a, const Result& b);

bool is_ranked_before(const Result& a, const Result& b, const Prices& prices, SortBy by);

}  // namespace roofline
