#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include "model/layer_fields.hpp"
#include "roofline/report.hpp"

namespace roofline {
namespace {

/// What rows are put in order by. Of rows of one GPU energy and cost are as the time.
using SortKeys = EnumArray<SortBy, double>;

SortKeys sort_keys(double time_share, double flops, double bytes, double intensity, double lost,
                   double error) {
  SortKeys keys{};
  keys[SortBy::time] = keys[SortBy::energy] = keys[SortBy::cost] = time_share;
  keys[SortBy::flops] = flops;
  keys[SortBy::bytes] = bytes;
  keys[SortBy::intensity] = intensity;
  keys[SortBy::lost] = lost;
  keys[SortBy::error] = error;
  return keys;
}

/// |ln(predicted / measured)|, 0 where either is not known.
double distance(const std::optional<double>& predicted_s, const std::optional<double>& measured_s) {
  if (!predicted_s || !measured_s || *predicted_s <= 0) return 0;
  return std::fabs(std::log(*predicted_s / *measured_s));
}

/// The share of the measured time where every row has one, else of the expected time.
double time_share_of(const std::optional<double>& measured_s, double expected_share,
                     const Result& result) {
  const auto& whole_s = result.total.measured_time_s;
  return whole_s && *whole_s > 0 ? measured_s.value_or(0) / *whole_s : expected_share;
}

SortKeys keys_of(const LayerResult& row, const Result& result) {
  return sort_keys(time_share_of(row.measured_time_s, row.time_share.value_or(0), result),
                   static_cast<double>(row.counts.flops),
                   static_cast<double>(row.counts.bytes.total),
                   row.point.intensity_flop_per_byte.value_or(0), lost_s(row).value_or(0),
                   distance(row.expected_time_s, row.measured_time_s));
}

SortKeys keys_of(const TypeRow& row, const Result& result) {
  const Total& total = row.total;
  const auto flops = static_cast<double>(total.flops);
  const auto bytes = static_cast<double>(total.bytes.total);
  return sort_keys(time_share_of(total.measured_time_s, row.time_share, result), flops, bytes,
                   bytes > 0 ? flops / bytes : 0,
                   total.measured_time_s.value_or(0) - total.roofline_time_s,
                   distance(total.expected_time_s, total.measured_time_s));
}

/// No time is expected of a kernel; it loses what it takes beyond its nearest roof.
SortKeys keys_of(const KernelRow& row, const KernelTable&) {
  const double roof_share = row.nearest_roof ? *row.roof_share[*row.nearest_roof] : 1;
  return sort_keys(row.time_share, row.flop.value_or(0), row.kernel.counters.dram_byte.value_or(0),
                   row.intensity_flop_per_byte.value_or(0), row.kernel.time_s * (1 - roof_share),
                   0);
}

using Groups = std::vector<std::vector<std::size_t>>;

/// Layers that differ in nothing but their names, by their first one. What they cost is compared
/// too: rows of one layer may be fused into others or made on other GPUs.
Groups groups_of(const std::vector<LayerResult>& rows) {
  Groups groups;
  const auto key_of = [](const LayerResult& row) {
    const std::optional<Limiter> limiter =
        row.kernel ? std::optional(row.kernel->limiter) : std::nullopt;
    return std::tuple(identity(stated(row.layer)), row.engine, row.counts.bytes.total,
                      row.point.roofline_time_s, row.expected_time_s, limiter, row.measured_time_s,
                      row.fused_into->substr(row.fused_into->find_last_of('.') + 1));
  };
  std::map<decltype(key_of(rows.front())), std::size_t> group_of;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [entry, is_new] = group_of.try_emplace(key_of(rows[i]), groups.size());
    if (is_new) groups.emplace_back();
    groups[entry->second].push_back(i);
  }
  return groups;
}

/// Equal layers, whose keys add up but for ratios.
struct GroupRow {
  const std::vector<std::size_t>* members;
};

SortKeys keys_of(const GroupRow& group, const Result& result) {
  SortKeys keys = keys_of(result.layers[group.members->front()], result);
  const auto count = static_cast<double>(group.members->size());
  for (const SortBy by : enumerators<SortBy>)
    if (by != SortBy::intensity && by != SortBy::error) keys[by] *= count;
  return keys;
}

/// A result of one layer, and the time that it takes.
struct OneLayer {
  const Result* result;
  double time_s;
};

SortKeys keys_of(const OneLayer& row, double whole_s) {
  SortKeys keys = keys_of(row.result->layers.front(), *row.result);
  keys[SortBy::time] = keys[SortBy::energy] = keys[SortBy::cost] = share_of(row.time_s, whole_s);
  return keys;
}

/// All rows by their indices, those first that are shown.
struct RowOrder {
  std::vector<std::size_t> rows;
  std::size_t shown = 0;
};

/// Rows of a whole: a result, a table of kernels, or the time of several results.
template <class Row, class Whole>
RowOrder order_of(const std::vector<Row>& rows, const Whole& whole, const RowFilter& filter) {
  std::vector<std::size_t> indices(rows.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  std::vector<SortKeys> keys;
  if (filter.selects()) {
    for (const Row& row : rows) keys.push_back(keys_of(row, whole));
    const SortBy by = filter.sort.value_or(SortBy::time);
    std::ranges::stable_sort(indices, std::greater(), [&](std::size_t i) { return keys[i][by]; });
  }
  std::size_t shown = indices.size();
  if (filter.cover_share) {
    double covered = 0;
    for (shown = 0; shown < indices.size() && covered < *filter.cover_share; ++shown)
      covered += keys[indices[shown]][SortBy::time];
  }
  if (filter.top) shown = std::min<std::size_t>(shown, *filter.top);
  return {std::move(indices), shown};
}

template <class Row, class Whole>
std::vector<std::size_t> selected(const std::vector<Row>& rows, const Whole& whole,
                                  const RowFilter& filter) {
  RowOrder order = order_of(rows, whole, filter);
  order.rows.resize(order.shown);
  return std::move(order.rows);
}

RowOrder order_of(const std::vector<const Result*>& results, const RowFilter& filter) {
  const bool is_measured = std::ranges::all_of(
      results, [](const Result* each) { return each->total.measured_time_s.has_value(); });
  std::vector<OneLayer> rows;
  double whole_s = 0;
  for (const Result* each : results) {
    rows.push_back({each, is_measured ? *each->total.measured_time_s : each->total.time_s});
    whole_s += rows.back().time_s;
  }
  return order_of(rows, whole_s, filter);
}

/// So many rows are shown even where few of them make up the time.
constexpr std::size_t few = 12;

/// What a screen shows where nothing else is asked for.
constexpr std::size_t screen_rows = 24;
RowFilter leading_rows() {
  RowFilter leading;
  leading.cover_share = 0.9;
  leading.top = screen_rows;
  return leading;
}

/// A screen of rows and what they leave out.
void set_main_groups(const Groups& groups, const std::vector<GroupRow>& rows, const Result& result,
                     const RowFilter& filter, Selection& selection) {
  selection.main_groups = selection.groups;
  if (!filter.is_default() || groups.size() <= few) return;
  const std::vector<std::size_t> shown = selected(rows, result, leading_rows());
  selection.main_groups.clear();
  std::vector<bool> is_shown(groups.size(), false);
  for (const std::size_t i : shown) {
    selection.main_groups.push_back(groups[i]);
    is_shown[i] = true;
  }
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (!is_shown[i])
      selection.rest.insert(selection.rest.end(), groups[i].begin(), groups[i].end());
}

/// The places of results of one layer, those together that are of one GPU and, where inputs are
/// evaluated in several settings, of one of these.
std::vector<std::vector<std::size_t>> inputs_of_one_layer(const std::vector<Evaluated>& results) {
  std::map<std::tuple<std::string, std::string, std::size_t, std::string>, std::size_t> settings;
  std::map<std::pair<std::string, std::size_t>, std::size_t> known;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Setting& setting = results[i].result.setting;
    if (results[i].result.layers.size() != 1) continue;
    const std::size_t number =
        settings[{setting.source, setting.network, setting.item, setting.gpu}]++;
    const auto [group, is_new] = known.try_emplace({setting.gpu, number}, groups.size());
    if (is_new) groups.emplace_back();
    groups[group->second].push_back(i);
  }
  return groups;
}

}  // namespace

std::vector<bool> select(std::vector<Evaluated>& results, const RowFilter& filter) {
  std::vector<bool> is_shown(results.size(), true);
  if (!filter.selects() || filter.ranks_gpus() || filter.by == RowsBy::type) return is_shown;
  for (const std::vector<std::size_t>& places : inputs_of_one_layer(results)) {
    std::vector<const Result*> inputs;
    for (const std::size_t place : places) inputs.push_back(&results[place].result);
    const RowOrder order = order_of(inputs, filter);
    std::vector<Evaluated> sorted;
    for (const std::size_t row : order.rows) sorted.push_back(std::move(results[places[row]]));
    for (std::size_t i = 0; i < places.size(); ++i) {
      results[places[i]] = std::move(sorted[i]);
      is_shown[places[i]] = i < order.shown;
    }
  }
  return is_shown;
}

Selection select(const Result& result, const RowFilter& filter) {
  Selection selection;
  if (filter.ranks_gpus()) return selection;
  selection.rows = selected(result.layers, result, filter);
  selection.types = selected(result.types, result, filter);
  const Groups groups = groups_of(result.layers);
  selection.all_groups = groups.size();
  std::vector<GroupRow> rows;
  for (const auto& members : groups) rows.push_back({&members});
  for (const std::size_t i : selected(rows, result, filter)) selection.groups.push_back(groups[i]);
  set_main_groups(groups, rows, result, filter, selection);
  return selection;
}

PointSelection select(const SettingsTable& table, const RowFilter& filter) {
  PointSelection selection;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const bool is_left_out = table.ranked_by && !filter.all && !table.rows[i].fits.value_or(true);
    (is_left_out ? selection.unfit : selection.rows).push_back(i);
  }
  selection.all_rows = selection.rows.size();
  if (table.ranked_by && filter.top && *filter.top < selection.rows.size())
    selection.rows.resize(*filter.top);
  selection.main_rows = selection.rows;
  if (table.ranked_by && !filter.top && !filter.all && selection.rows.size() > screen_rows)
    selection.main_rows.resize(screen_rows);
  return selection;
}

KernelSelection select(const KernelTable& table, const RowFilter& filter) {
  KernelSelection selection;
  selection.rows = selected(table.rows, table, filter);
  selection.main_rows = selection.rows;
  if (!filter.is_default() || table.rows.size() <= few) return selection;
  selection.main_rows = selected(table.rows, table, leading_rows());
  selection.rest = {
      selection.rows.begin() + static_cast<std::ptrdiff_t>(selection.main_rows.size()),
      selection.rows.end()};
  return selection;
}

}  // namespace roofline
