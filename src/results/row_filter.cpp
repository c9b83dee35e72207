#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "model/layer_fields.hpp"
#include "model/ranges.hpp"
#include "results/kernel_table.hpp"
#include "results/planned_rows.hpp"
#include "results/selection.hpp"
#include "roofline/report.hpp"

namespace roofline {
namespace {

using Indices = std::vector<std::size_t>;
using Groups = Selection::Groups;

/// On one GPU cost follows the time, which is measured if the whole is.
double key_of(const TypeRow& row, SortBy by, const std::optional<double>& whole_measured_s) {
  const Total& sum = row.total;
  const auto flops = static_cast<double>(sum.flops);
  const auto bytes = static_cast<double>(sum.bytes.total);
  switch (by) {
    case SortBy::time:
    case SortBy::cost:
      return whole_measured_s.value_or(0) > 0 ? sum.measured_time_s.value_or(0) / *whole_measured_s
                                              : row.time_share;
    case SortBy::flops: return flops;
    case SortBy::bytes: return bytes;
    case SortBy::intensity: return share_of(flops, bytes);
    case SortBy::lost: return sum.lost_s;
    case SortBy::error:
      return sum.expected_time_s.value_or(0) > 0 && sum.measured_time_s
                 ? std::fabs(std::log(*sum.expected_time_s / *sum.measured_time_s))
                 : 0;
  }
  return 0;
}

TypeRow sum_of(const std::vector<LayerResult>& layers, const Indices& rows) {
  TypeRow sum;
  for (const std::size_t i : rows) {
    add_to_total(sum.total, layers[i]);
    sum.time_share += layers[i].time_share.value_or(0);
  }
  return sum;
}

/// A kernel has no expected time; it loses the time beyond its nearest roof.
TypeRow sum_of(const KernelRow& row) {
  TypeRow sum;
  sum.time_share = row.time_share;
  sum.total.flops = static_cast<std::uint64_t>(row.flop.value_or(0));
  sum.total.bytes.total = static_cast<std::uint64_t>(row.kernel.counters.dram_byte.value_or(0));
  sum.total.measured_time_s = row.kernel.time_s;
  sum.total.expected_time_s.reset();
  const double nearest_share = row.nearest_roof ? *row.roof_share[*row.nearest_roof] : 1;
  sum.total.lost_s = std::max(0.0, row.kernel.time_s * (1 - nearest_share));
  return sum;
}

/// The name of the host, without the module that it is in.
std::string_view host_of(const LayerResult& row) {
  const std::string_view host = *row.fused_into;
  return host.substr(host.find_last_of('.') + 1);
}

/// Whether rows of equal costs are of equal layers.
bool are_alike(const LayerResult& a, const LayerResult& b) {
  if (host_of(a) != host_of(b)) return false;
  return is_same_layer(a.layer, b.layer) || identity(stated(a.layer)) == identity(stated(b.layer));
}

/// Layers equal in all but their names, in order. Costs are compared too: equal layers may be fused
/// into others or run on other GPUs. They come first, as they tell nearly all layers apart.
Groups groups_of(const std::vector<LayerResult>& rows) {
  Groups groups;
  const auto costs_of = [](const LayerResult& row) {
    const std::optional<Limiter> limiter =
        row.kernel ? std::optional(row.kernel->limiter()) : std::nullopt;
    return std::tuple(row.counts.bytes.total, row.point.roofline_time_s, row.expected_time_s(),
                      row.measured_time_s, row.engine, limiter);
  };
  std::map<decltype(costs_of(rows.front())), Indices> groups_at;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Indices& at_costs = groups_at[costs_of(rows[i])];
    const auto known = std::ranges::find_if(at_costs, [&](std::size_t group) {
      return are_alike(rows[groups[group].front()], rows[i]);
    });
    if (known != at_costs.end()) {
      groups[*known].push_back(i);
    } else {
      at_costs.push_back(groups.size());
      groups.push_back({i});
    }
  }
  return groups;
}

Groups each_alone(std::size_t rows) {
  Groups groups(rows);
  for (std::size_t i = 0; i < rows; ++i) groups[i] = {i};
  return groups;
}

/// Tables up to this length are shown whole.
constexpr std::size_t few = 12;

constexpr std::size_t screen_rows = 24;
RowFilter leading_rows() {
  RowFilter leading;
  leading.cover_share = 0.9;
  leading.top = screen_rows;
  return leading;
}

/// All groups in the filter's order, the chosen ones first.
struct Order {
  Groups groups;
  std::size_t chosen = 0;
};

template <class Key>
Order order_of(const Groups& groups, const Key& key, const RowFilter& filter) {
  if (!filter.selects()) return {groups, groups.size()};
  auto order = each_of(groups, [&](const Indices& group) {
    return std::pair(key(group, filter.sort.value_or(SortBy::time)), &group);
  });
  std::ranges::stable_sort(order, std::greater(), [](const auto& each) { return each.first; });
  Order all;
  double covered = 0;
  for (const auto& [by, group] : order) {
    all.groups.push_back(*group);
    const bool is_beyond = all.chosen >= filter.top.value_or(groups.size()) ||
                           (filter.cover_share && covered >= *filter.cover_share);
    if (is_beyond) continue;
    ++all.chosen;
    covered += filter.cover_share ? key(*group, SortBy::time) : 0;
  }
  return all;
}

template <class Key>
Groups chosen(const Groups& groups, const Key& key, const RowFilter& filter) {
  Order order = order_of(groups, key, filter);
  order.groups.resize(order.chosen);
  return std::move(order.groups);
}

/// For groups of `rows` rows, summed by `sum_of`.
template <class SumOf>
Selection selection_of(const Groups& groups, std::size_t rows, const SumOf& sum_of,
                       const std::optional<double>& whole_measured_s, const RowFilter& filter) {
  const auto key = [&](const Indices& group, SortBy by) {
    return key_of(sum_of(group), by, whole_measured_s);
  };
  Selection selection;
  for (const Indices& row : chosen(each_alone(rows), key, filter))
    selection.rows.push_back(row.front());
  selection.groups = chosen(groups, key, filter);
  selection.all_groups = groups.size();
  selection.main_groups = selection.groups;
  if (!filter.is_default()) return selection;
  const auto takes_time = [&](const Indices& group) { return key(group, SortBy::time) > 0; };
  if (groups.size() <= few) {
    if (std::ranges::any_of(groups, takes_time))
      std::erase_if(selection.main_groups, std::not_fn(takes_time));
    return selection;
  }
  selection.main_groups = chosen(groups, key, leading_rows());
  std::vector<bool> is_shown(rows, false);
  for (const Indices& group : selection.main_groups) is_shown[group.front()] = true;
  for (const Indices& group : groups)
    if (!is_shown[group.front()])
      selection.rest.insert(selection.rest.end(), group.begin(), group.end());
  return selection;
}

template <class SumOf>
Selection selection_of(std::size_t rows, const SumOf& sum_of,
                       const std::optional<double>& whole_measured_s, const RowFilter& filter) {
  const auto sum = [&](const Indices& group) { return sum_of(group.front()); };
  return selection_of(each_alone(rows), rows, sum, whole_measured_s, filter);
}

/// One-layer results grouped by GPU and, if there are several, by setting.
Groups inputs_of_one_layer(const std::vector<Evaluated>& results) {
  std::map<std::tuple<std::string, std::string, std::size_t, std::string>, std::size_t> settings;
  std::map<std::pair<std::string, std::size_t>, std::size_t> known;
  Groups groups;
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

/// Sums of one-layer results, with shares of their total time.
std::vector<TypeRow> sums_of(const std::vector<Evaluated>& results, const Indices& places) {
  std::vector<TypeRow> sums =
      each_of(places, [&](std::size_t place) { return sum_of(results[place].result.layers, {0}); });
  const bool is_measured = std::ranges::all_of(
      sums, [](const TypeRow& each) { return each.total.measured_time_s.has_value(); });
  const auto time_of = [&](const TypeRow& each) {
    return is_measured ? *each.total.measured_time_s : each.total.time_s;
  };
  const double whole_s = sum_over(sums, time_of);
  for (TypeRow& each : sums) each.time_share = share_of(time_of(each), whole_s);
  return sums;
}

}  // namespace

std::vector<bool> select(std::vector<Evaluated>& results, const RowFilter& filter) {
  std::vector<bool> is_shown(results.size(), true);
  if (!filter.selects() || filter.ranks_gpus() || filter.by == RowsBy::type) return is_shown;
  for (const Indices& places : inputs_of_one_layer(results)) {
    const std::vector<TypeRow> sums = sums_of(results, places);
    const auto key = [&](const Indices& row, SortBy by) {
      return key_of(sums[row.front()], by, std::nullopt);
    };
    const Order order = order_of(each_alone(places.size()), key, filter);
    std::vector<Evaluated> sorted;
    for (const Indices& row : order.groups)
      sorted.push_back(std::move(results[places[row.front()]]));
    for (std::size_t i = 0; i < places.size(); ++i) {
      results[places[i]] = std::move(sorted[i]);
      is_shown[places[i]] = i < order.chosen;
    }
  }
  return is_shown;
}

Selection select(const Result& result, const RowFilter& filter) {
  if (filter.ranks_gpus()) return {};
  const auto sum = [&](const Indices& rows) { return sum_of(result.layers, rows); };
  Selection selection = selection_of(groups_of(result.layers), result.layers.size(), sum,
                                     result.total.measured_time_s, filter);
  if (!result.measured.recording || !result.measured.summary) return selection;
  // A recorder's clock may be too coarse for a kernel, which then is no row of a table.
  const auto took_none = [&](const Indices& rows) {
    return std::ranges::none_of(
        rows, [&](std::size_t row) { return result.layers[row].measured_time_s > 0.0; });
  };
  std::erase_if(selection.groups, took_none);
  std::erase_if(selection.main_groups, took_none);
  return selection;
}

bool needs_leading_rows_alone(const RowFilter& filter) {
  return filter.top && !filter.cover_share && !filter.by;
}

void keep_leading(std::vector<LayerResult>& rows, const RowFilter& filter) {
  if (!filter.top) return;
  const SortBy by = filter.sort.value_or(SortBy::time);
  std::vector<std::pair<double, double>> keys;  // by time: as expected, and as measured
  for (const LayerResult& row : rows) {
    TypeRow sum;
    add_to_total(sum.total, row);
    keys.emplace_back(ranks_points(by) ? time_s(row) : key_of(sum, by, std::nullopt),
                      row.measured_time_s.value_or(0));
  }
  const std::size_t count = std::min<std::size_t>(rows.size(), *filter.top);
  std::vector<bool> is_kept(rows.size(), false);
  const auto keep_first = [&](auto key) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return keys[i].*key; });
    for (std::size_t i = 0; i < count; ++i) is_kept[order[i]] = true;
  };
  keep_first(&std::pair<double, double>::first);
  if (ranks_points(by)) keep_first(&std::pair<double, double>::second);
  std::vector<LayerResult> kept;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (is_kept[i]) kept.push_back(std::move(rows[i]));
  rows = std::move(kept);
}

Selection select_types(const Result& result, const RowFilter& filter) {
  if (filter.ranks_gpus()) return {};
  const auto sum = [&](std::size_t i) { return result.types[i]; };
  return selection_of(result.types.size(), sum, result.total.measured_time_s, filter);
}

Selection select(const KernelTable& table, const RowFilter& filter) {
  const auto sum = [&](std::size_t i) { return sum_of(table.rows[i]); };
  return selection_of(table.rows.size(), sum, table.time_s, filter);
}

Selection select(const SettingsTable& table, const RowFilter& filter) {
  Selection selection;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    selection.rows.push_back(i);
    const bool is_left_out = table.ranked_by && !filter.all && !table.rows[i].qualifies();
    if (!is_left_out) selection.groups.push_back({i});
  }
  selection.all_groups = selection.groups.size();
  if (table.ranked_by && filter.top) {
    // Settings that do not qualify are last.
    const std::size_t kept = std::min<std::size_t>(selection.all_groups, *filter.top);
    selection.groups.resize(kept);
    selection.rows.resize(kept);
  }
  selection.main_groups = selection.groups;
  if (table.ranked_by && !filter.top && !filter.all && selection.groups.size() > screen_rows)
    selection.main_groups.resize(screen_rows);
  return selection;
}

}  // namespace roofline
