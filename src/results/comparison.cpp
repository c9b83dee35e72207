#include <algorithm>
#include <map>
#include <tuple>

#include "roofline/summary.hpp"

namespace roofline {
namespace {

/// Results of one piece of work by their index, a GPU each.
using Group = std::vector<std::size_t>;

auto work_of(const Result& result) {
  return std::tie(result.setting.source, result.setting.network, result.setting.item,
                  result.setting.batch, result.setting.dtype, result.setting.training,
                  result.setting.pass);
}

/// Whether both did the same: a record that one GPU cannot run is missing there. Points have no
/// rows any more.
bool same_rows(const Result& a, const Result& b) {
  return a.total.macs == b.total.macs && a.total.bytes.total == b.total.bytes.total &&
         std::equal(a.layers.begin(), a.layers.end(), b.layers.begin(), b.layers.end(),
                    [](const LayerResult& x, const LayerResult& y) {
                      return x.layer.name == y.layer.name && x.layer.pass == y.layer.pass &&
                             x.counts.macs == y.counts.macs &&
                             x.counts.bytes.total == y.counts.bytes.total;
                    });
}

/// Pieces of work on two GPUs or more, in the order in which they first come. An input that was
/// given twice counts once.
std::vector<Group> groups_of(const std::vector<Result>& results) {
  std::vector<Group> groups;
  std::multimap<decltype(work_of(results.front())), std::size_t> groups_by_work;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto [begin, end] = groups_by_work.equal_range(work_of(results[i]));
    const auto found = std::find_if(begin, end, [&](const auto& entry) {
      return same_rows(results[groups[entry.second].front()], results[i]);
    });
    if (found == end) {
      groups_by_work.emplace(work_of(results[i]), groups.size());
      groups.push_back({i});
      continue;
    }
    Group& group = groups[found->second];
    if (std::none_of(group.begin(), group.end(), [&](std::size_t other) {
          return results[other].setting.gpu == results[i].setting.gpu;
        }))
      group.push_back(i);
  }
  std::erase_if(groups, [](const Group& group) { return group.size() < 2; });
  return groups;
}

/// Fills in what follows from the times of one piece of work, the rows from `first` to the end.
void finish_rows(std::vector<ComparisonRow>& rows, std::size_t first) {
  if (first == rows.size()) return;
  const double reference = rows[first].time_s;
  ComparisonRow* best = nullptr;
  for (std::size_t i = first; i < rows.size(); ++i) {
    rows[i].speedup = rows[i].time_s > 0 ? reference / rows[i].time_s : 1;
    if (rows[i].energy_at_tdp_j &&
        (best == nullptr || *rows[i].energy_at_tdp_j < *best->energy_at_tdp_j))
      best = &rows[i];
  }
  if (best != nullptr) best->fewest_joules = true;
}

ComparisonRow row_of(std::string name, std::optional<std::uint64_t> batch, const Result& result,
                     double time, double bound_s) {
  ComparisonRow row;
  row.name = std::move(name);
  row.batch = batch;
  row.gpu = result.setting.gpu;
  row.time_s = time;
  row.roofline_time_s = bound_s;
  if (result.setting.tdp_w) row.energy_at_tdp_j = time * *result.setting.tdp_w;
  return row;
}

ComparisonRow layer_row(const LayerResult& layer, const Result& result) {
  std::string name = layer.layer.name;
  if (result.setting.training) name += " " + std::string(name_of(layer.layer.pass));
  ComparisonRow row = row_of(std::move(name), layer.layer.output.batch, result, time_s(layer),
                             layer.point.roofline_time_s);
  row.expected_uncertainty = layer.expected_uncertainty;
  row.compute_bound_share = layer.point.bound == Bound::compute ? 1 : 0;
  return row;
}

}  // namespace

std::vector<ComparisonRow> compare_networks(const std::vector<Result>& results) {
  std::vector<ComparisonRow> rows;
  if (results.empty()) return rows;
  for (const Group& group : groups_of(results)) {
    const std::size_t first = rows.size();
    for (const std::size_t i : group) {
      const Result& result = results[i];
      rows.push_back(row_of(result.setting.label, result.setting.batch, result, result.total.time_s,
                            result.total.roofline_time_s));
      rows.back().expected_uncertainty = result.total.expected_uncertainty;
      rows.back().compute_bound_share = compute_bound_share(result);
    }
    finish_rows(rows, first);
  }
  return rows;
}

std::vector<ComparisonRow> compare_layers(const std::vector<Result>& results,
                                          const std::vector<std::vector<std::size_t>>& shown) {
  std::vector<ComparisonRow> rows;
  if (results.empty()) return rows;
  for (const Group& group : groups_of(results))
    for (const std::size_t row : shown[group.front()]) {
      const std::size_t first = rows.size();
      // The same work has the same rows on every GPU.
      for (const std::size_t i : group)
        if (time_s(results[i].layers[row]) > 0)
          rows.push_back(layer_row(results[i].layers[row], results[i]));
      finish_rows(rows, first);
    }
  return rows;
}

}  // namespace roofline
