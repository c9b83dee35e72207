#include "roofline/view.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "model/layer_fields.hpp"

namespace roofline {
namespace {

double intensity(std::uint64_t flops, std::uint64_t bytes) {
  return bytes > 0 ? static_cast<double>(flops) / static_cast<double>(bytes) : 0;
}

/// |ln(predicted / measured)|, 0 where either is not known.
double distance(const std::optional<double>& predicted_s, const std::optional<double>& measured_s) {
  if (!predicted_s || !measured_s || *predicted_s <= 0) return 0;
  return std::fabs(std::log(*predicted_s / *measured_s));
}

/// Of the measured time where every row has one, else of the expected.
double row_share_of(const LayerResult& row, const Result& result) {
  if (const auto& measured_s = result.total.measured_time_s; measured_s && *measured_s > 0)
    return row.measured_time_s.value_or(0) / *measured_s;
  return row.time_share.value_or(0);
}
double row_share_of(const TypeRow& row, const Result& result) {
  if (const auto& measured_s = result.total.measured_time_s; measured_s && *measured_s > 0)
    return row.total.measured_time_s.value_or(0) / *measured_s;
  return row.time_share;
}

double sort_key(const LayerResult& row, const Result& result, SortBy by) {
  switch (by) {
    case SortBy::time:
    case SortBy::energy:
    case SortBy::cost: return row_share_of(row, result);
    case SortBy::flops: return static_cast<double>(row.counts.flops);
    case SortBy::bytes: return static_cast<double>(row.counts.bytes.total);
    case SortBy::intensity: return row.point.intensity_flop_per_byte.value_or(0);
    case SortBy::lost: return lost_s(row).value_or(0);
    case SortBy::error: return distance(row.expected_time_s, row.measured_time_s);
  }
  return 0;
}

double sort_key(const TypeRow& row, const Result& result, SortBy by) {
  switch (by) {
    case SortBy::time:
    case SortBy::energy:
    case SortBy::cost: return row_share_of(row, result);
    case SortBy::flops: return static_cast<double>(row.total.flops);
    case SortBy::bytes: return static_cast<double>(row.total.bytes.total);
    case SortBy::intensity: return intensity(row.total.flops, row.total.bytes.total);
    case SortBy::lost: return row.total.measured_time_s.value_or(0) - row.total.roofline_time_s;
    case SortBy::error: return distance(row.total.expected_time_s, row.total.measured_time_s);
  }
  return 0;
}

double sort_key(const KernelRow& row, const KernelTable&, SortBy by) {
  switch (by) {
    case SortBy::time:
    case SortBy::energy:
    case SortBy::cost: return row.time_share;
    case SortBy::flops: return row.flop.value_or(0);
    case SortBy::bytes: return row.kernel.counters.dram_byte.value_or(0);
    case SortBy::intensity: return row.intensity_flop_per_byte.value_or(0);
    case SortBy::lost:
      return row.nearest_roof ? row.kernel.time_s * (1 - *row.roof_share[*row.nearest_roof]) : 0;
    case SortBy::error: return 0;  // no time is expected of it
  }
  return 0;
}

double row_share_of(const KernelRow& row, const KernelTable&) { return row.time_share; }

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

/// Rows of a table as View's keys see them: sums over the group.
struct GroupRow {
  const std::vector<std::size_t>* members;
};

double sort_key(const GroupRow& group, const Result& result, SortBy by) {
  const double one = sort_key(result.layers[group.members->front()], result, by);
  const bool adds_up = by != SortBy::intensity && by != SortBy::error;
  return adds_up ? one * static_cast<double>(group.members->size()) : one;
}
double row_share_of(const GroupRow& group, const Result& result) {
  return sort_key(group, result, SortBy::time);
}

/// Rows of a whole, a result or a table of kernels.
template <class Row, class Whole>
std::vector<std::size_t> selected(const std::vector<Row>& rows, const Whole& whole,
                                  const View& view) {
  std::vector<std::size_t> indices(rows.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  const bool cuts = view.top || view.cover_share;
  if (view.sort || cuts) {
    const SortBy by = view.sort.value_or(SortBy::time);
    std::stable_sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
      return sort_key(rows[a], whole, by) > sort_key(rows[b], whole, by);
    });
  }
  std::size_t kept = indices.size();
  if (view.cover_share) {
    double covered = 0;
    for (kept = 0; kept < indices.size() && covered < *view.cover_share; ++kept)
      covered += row_share_of(rows[indices[kept]], whole);
  }
  if (view.top) kept = std::min<std::size_t>(kept, *view.top);
  indices.resize(kept);
  return indices;
}

/// So many rows are shown even where few of them make up the time.
constexpr std::size_t few = 12;

/// What a screen shows where nothing else is asked for.
constexpr std::size_t screen_rows = 24;
View leading_rows() {
  View leading;
  leading.cover_share = 0.9;
  leading.top = screen_rows;
  return leading;
}

/// A screen of rows and what they leave out.
void set_main_groups(const Groups& groups, const std::vector<GroupRow>& rows, const Result& result,
                     const View& view, Selection& selection) {
  selection.main_groups = selection.groups;
  if (!view.is_default() || groups.size() <= few) return;
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

}  // namespace

Selection select(const Result& result, const View& view) {
  Selection selection;
  if (view.ranks_gpus()) return selection;
  selection.rows = selected(result.layers, result, view);
  selection.types = selected(result.types, result, view);
  const Groups groups = groups_of(result.layers);
  selection.all_groups = groups.size();
  std::vector<GroupRow> rows;
  for (const auto& members : groups) rows.push_back({&members});
  for (const std::size_t i : selected(rows, result, view)) selection.groups.push_back(groups[i]);
  set_main_groups(groups, rows, result, view, selection);
  return selection;
}

PointSelection select(const PointTable& table, const View& view) {
  const auto alike = [](const OperatingPoint& point) {
    return std::tie(point.dtype, point.batch, point.is_goal, point.time_s, point.roofline_time_s,
                    point.measured_time_s, point.tdp_w, point.cost_per_million_images, point.fits);
  };
  PointSelection selection;
  std::map<decltype(alike(table.points.front())), std::size_t> group_of;
  for (std::size_t i = 0; i < table.points.size(); ++i) {
    const OperatingPoint& point = table.points[i];
    if (table.ranked_by && !view.all && !point.fits.value_or(true)) {
      selection.unfit.push_back(i);
      continue;
    }
    const auto [entry, is_new] = group_of.try_emplace(alike(point), selection.groups.size());
    if (table.ranked_by && !is_new)
      selection.groups[entry->second].push_back(i);
    else
      selection.groups.push_back({i});
  }
  selection.all_groups = selection.groups.size();
  if (table.ranked_by && view.top && *view.top < selection.groups.size())
    selection.groups.resize(*view.top);
  selection.main_groups = selection.groups;
  if (table.ranked_by && !view.top && !view.all && selection.groups.size() > screen_rows)
    selection.main_groups.resize(screen_rows);
  return selection;
}

KernelSelection select(const KernelTable& table, const View& view) {
  KernelSelection selection;
  selection.rows = selected(table.rows, table, view);
  selection.main_rows = selection.rows;
  if (!view.is_default() || table.rows.size() <= few) return selection;
  selection.main_rows = selected(table.rows, table, leading_rows());
  selection.rest = {
      selection.rows.begin() + static_cast<std::ptrdiff_t>(selection.main_rows.size()),
      selection.rows.end()};
  return selection;
}

}  // namespace roofline
