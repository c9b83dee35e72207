#include "roofline/settings_table.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "results/steps.hpp"

namespace roofline {
namespace {

void set_limiter(SettingRow& row, const Result& result) {
  const EnumArray<Limiter, double>& part_s = result.total.part_s;
  const auto largest = std::ranges::max_element(part_s);
  if (*largest <= 0 || row.time_s <= 0) return;
  row.limiter = static_cast<Limiter>(largest - part_s.begin());
  row.limiter_share = *largest / row.time_s;
}

void set_rates(SettingRow& row, const Setting& setting, const Prices& prices) {
  constexpr double s_per_hour = 3600;
  constexpr double million = 1e6;
  if (row.time_s <= 0) return;
  if (row.batch) row.time_per_image_s = row.time_s / static_cast<double>(*row.batch);
  if (setting.tokens)
    row.tokens_per_s = static_cast<double>(*setting.tokens) / row.time_s;
  else if (row.batch)
    row.images_per_s = static_cast<double>(*row.batch) / row.time_s;
  const auto price = prices.find(row.gpu);
  if (price == prices.end()) return;
  const double million_for_a_second = million / s_per_hour * price->second;
  if (row.images_per_s) row.cost_per_million_images = million_for_a_second / *row.images_per_s;
  if (row.tokens_per_s) row.cost_per_million_tokens = million_for_a_second / *row.tokens_per_s;
}

SettingRow row_of(const Result& result, std::size_t index, const Prices& prices,
                  std::optional<double> max_time_s = {}) {
  const Setting& setting = result.setting;
  SettingRow row;
  row.result = index;
  row.gpu = setting.gpu;
  row.dtype = setting.dtype;
  row.layout = setting.layout;
  row.batch = setting.batch;
  if (setting.batch_goal) row.is_goal[*setting.batch_goal] = true;
  row.time_s = result.total.time_s;
  row.expected_uncertainty = result.total.expected_uncertainty;
  row.roofline_time_s = result.total.roofline_time_s;
  row.measured_time_s = result.total.measured_time_s;
  row.compute_bound_share = compute_bound_share(result);
  row.tdp_w = setting.tdp_w;
  row.needed_memory_byte = needed_memory_byte(result);
  row.fits = fits(result);
  row.in_time = row.time_s <= max_time_s.value_or(row.time_s);
  set_limiter(row, result);
  row.framework = setting.framework;
  row.kernels_alone = setting.layers > 1 && runs_kernels_alone(result);
  set_rates(row, setting, prices);
  return row;
}

/// The qualifying row with the least quantity.
std::optional<std::size_t> least(const std::vector<SettingRow>& rows,
                                 std::optional<double> SettingRow::*quantity) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].qualifies() && rows[i].*quantity &&
        (!best || *(rows[i].*quantity) < *(rows[*best].*quantity)))
      best = i;
  return best;
}

/// Sorts rows by GPU, framework and type, each in order of first appearance, then by batch.
void sort_rows(std::vector<SettingRow>& rows) {
  std::map<std::string, std::size_t> gpus;
  std::map<std::optional<Framework>, std::size_t> frameworks;
  std::map<std::optional<DataType>, std::size_t> types;
  for (const SettingRow& row : rows) {
    gpus.try_emplace(row.gpu, gpus.size());
    frameworks.try_emplace(row.framework, frameworks.size());
    types.try_emplace(row.dtype, types.size());
  }
  const auto key_of = [&](const SettingRow& row) {
    return std::tuple(gpus[row.gpu], frameworks[row.framework], types[row.dtype], row.batch);
  };
  std::ranges::stable_sort(rows, {}, key_of);
}

/// The least first, then unknown quantities, then settings that do not qualify; ties by time.
auto rank_of(const SettingRow& row, SortBy by) {
  const std::optional<double> quantity = ranked_quantity(row, by);
  const std::optional<double> time_s = ranked_quantity(row, SortBy::time);
  return std::tuple(!row.qualifies(), !quantity, quantity, time_s);
}

/// Whether only the batch differs: an error of the model is then in all rows alike.
bool differ_in_batch_alone(const std::vector<SettingRow>& rows) {
  return std::ranges::all_of(rows, [&](const SettingRow& row) {
    const SettingRow& first = rows.front();
    return row.gpu == first.gpu && row.dtype == first.dtype && row.framework == first.framework;
  });
}

/// Rows share a rank if their ranges, quantity / factor to quantity x factor, overlap its first
/// row's.
void set_ranks(SettingsTable& table, SortBy by) {
  const bool has_common_range = differ_in_batch_alone(table.rows);
  const auto range_of = [&](const SettingRow& row) {
    return row.expected_uncertainty && !has_common_range ? row.expected_uncertainty->factor : 1;
  };
  std::size_t first = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    SettingRow& row = table.rows[i];
    const std::optional<double> quantity = ranked_quantity(row, by);
    if (!quantity || !row.qualifies()) break;  // so are all later rows
    const SettingRow& best = table.rows[first];
    if (*quantity / range_of(row) > *ranked_quantity(best, by) * range_of(best)) first = i;
    row.rank = first + 1;
    row.tied = first == 0 && i > 0;
    table.rows.front().tied = table.rows.front().tied || row.tied;
  }
}

void finish_points(SettingsTable& table) {
  sort_rows(table.rows);
  if (table.ranked_by) {
    std::ranges::stable_sort(table.rows, {},
                             [&](const SettingRow& row) { return rank_of(row, *table.ranked_by); });
    set_ranks(table, *table.ranked_by);
  }
  table.best = least(table.rows, &SettingRow::time_per_image_s);
  table.cheapest =
      least(table.rows, table.rows.front().tokens_per_s ? &SettingRow::cost_per_million_tokens
                                                        : &SettingRow::cost_per_million_images);
  const SettingRow& first = table.rows.front();
  for (SettingRow& row : table.rows) {
    const bool by_image = row.time_per_image_s && first.time_per_image_s;
    const double reference_s = by_image ? *first.time_per_image_s : first.time_s;
    const double own_s = by_image ? *row.time_per_image_s : row.time_s;
    row.speedup = own_s > 0 ? reference_s / own_s : 1;
  }
}

auto setting_key(const Result& result) {
  return std::tie(result.setting.gpu, result.setting.framework, result.setting.dtype,
                  result.setting.batch);
}

}  // namespace

std::optional<double> ranked_quantity(const SettingRow& row, SortBy by) {
  if (by == SortBy::cost)
    return row.tokens_per_s ? row.cost_per_million_tokens : row.cost_per_million_images;
  return row.time_per_image_s.value_or(row.time_s);
}

std::vector<SettingsTable> settings_of(const std::vector<Result>& results, const Prices& prices,
                                       std::optional<double> max_time_s) {
  std::vector<SettingsTable> tables;
  const auto key_of = [](const Result& result) {
    return std::tie(result.setting.source, result.setting.network, result.setting.item,
                    result.setting.training, result.setting.pass);
  };
  struct Known {
    std::size_t table;
    std::map<decltype(setting_key(results.front())), std::size_t> row_of;
  };
  std::map<decltype(key_of(results.front())), Known> known;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Setting& setting = results[i].setting;
    const auto [entry, is_new] = known.try_emplace(key_of(results[i]), Known{tables.size(), {}});
    if (is_new) {
      tables.emplace_back().work = setting.label;
      tables.back().training = setting.training;
      tables.back().max_time_s = max_time_s;
    }
    std::vector<SettingRow>& rows = tables[entry->second.table].rows;
    const auto [row, is_new_row] =
        entry->second.row_of.try_emplace(setting_key(results[i]), rows.size());
    if (is_new_row)
      rows.push_back(row_of(results[i], i, prices, max_time_s));
    else if (setting.batch_goal)
      rows[row->second].is_goal[*setting.batch_goal] = true;
  }
  return tables;
}

std::vector<SettingsTable> points_of(std::vector<SettingsTable> tables, bool has_prices,
                                     std::optional<SortBy> rank_by) {
  if (!has_prices && !rank_by)
    std::erase_if(tables, [](const SettingsTable& table) { return table.rows.size() < 2; });
  for (SettingsTable& table : tables) {
    table.ranked_by = rank_by;
    finish_points(table);
  }
  return tables;
}

std::vector<SettingsTable> sweeps_of(std::vector<SettingsTable> tables) {
  std::vector<SettingsTable> sweeps;
  for (SettingsTable& table : tables) {
    std::erase_if(table.rows, [](const SettingRow& row) { return !row.batch; });
    sort_rows(table.rows);
    for (auto begin = table.rows.begin(); begin != table.rows.end();) {
      const auto end = std::find_if(begin, table.rows.end(), [&](const SettingRow& row) {
        return row.gpu != begin->gpu || row.framework != begin->framework ||
               row.dtype != begin->dtype;
      });
      if (end - begin > 1) {
        SettingsTable& sweep = sweeps.emplace_back();
        sweep.work = table.work;
        sweep.rows.assign(begin, end);
        find_best_batch(sweep);
      }
      begin = end;
    }
  }
  return sweeps;
}

void find_best_batch(SettingsTable& table) {
  const std::vector<SettingRow>& rows = table.rows;
  table.best = table.near_best_from = least(rows, &SettingRow::time_per_image_s);
  if (!table.best) return;
  const double most_s = (1 + near_best_share) * *rows[*table.best].time_per_image_s;
  std::size_t& from = *table.near_best_from;
  while (from > 0 && rows[from - 1].time_per_image_s <= most_s) --from;
}

bool is_same_setting(const Result& a, const Result& b) { return setting_key(a) == setting_key(b); }

bool is_ranked_before(const Result& a, const Result& b, const Prices& prices, SortBy by) {
  return rank_of(row_of(a, 0, prices), by) < rank_of(row_of(b, 0, prices), by);
}

}  // namespace roofline
