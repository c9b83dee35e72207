#include <algorithm>
#include <tuple>

#include "roofline/summary.hpp"

namespace roofline {
namespace {

/// Results of one piece of work, a GPU each.
using Group = std::vector<const Result*>;

bool same_work(const Result& a, const Result& b) {
  return std::tie(a.source, a.network, a.batch, a.dtype, a.pass) ==
         std::tie(b.source, b.network, b.batch, b.dtype, b.pass);
}

std::vector<Group> groups_of(const std::vector<Result>& results) {
  std::vector<Group> groups;
  for (const Result& result : results) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& each) {
      return same_work(*each.front(), result);
    });
    if (group == groups.end())
      groups.push_back({&result});
    else
      group->push_back(&result);
  }
  std::erase_if(groups, [](const Group& group) { return group.size() < 2; });
  return groups;
}

double compute_bound_share(const Result& result) {
  double bound_by_compute = 0;
  for (const LayerResult& row : result.layers)
    if (row.point.bound == Bound::compute)
      bound_by_compute += static_cast<double>(row.layer.repeat) * row.point.roofline_time_s;
  const double whole = result.total.roofline_time_s;
  return whole > 0 ? bound_by_compute / whole : 0;
}

/// Fills in what follows from the times of one name's rows, `first` to the end.
void finish_rows(std::vector<ComparisonRow>& rows, std::size_t first) {
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

ComparisonRow row_of(const std::string& name, const Result& result, double time_s,
                     double compute_share) {
  ComparisonRow row{name, result.gpu, time_s, 1, compute_share, std::nullopt, false};
  if (result.tdp_w) row.energy_at_tdp_j = time_s * *result.tdp_w;
  return row;
}

void add_network(const Group& group, std::vector<ComparisonRow>& rows) {
  const std::size_t first = rows.size();
  for (const Result* result : group)
    rows.push_back(
        row_of(result->network, *result, time_s(result->total), compute_bound_share(*result)));
  finish_rows(rows, first);
}

const LayerResult* find_layer(const Result& result, const Layer& layer) {
  const auto found =
      std::find_if(result.layers.begin(), result.layers.end(), [&](const LayerResult& row) {
        return row.layer.name == layer.name && row.layer.pass == layer.pass;
      });
  return found == result.layers.end() ? nullptr : &*found;
}

void add_layers(const Group& group, const Result& shown, std::vector<ComparisonRow>& rows) {
  for (const LayerResult& wanted : shown.layers) {
    if (time_s(wanted) == 0) continue;
    const std::size_t first = rows.size();
    for (const Result* result : group)
      if (const LayerResult* row = find_layer(*result, wanted.layer))
        rows.push_back(row_of(row->layer.name, *result, time_s(*row),
                              row->point.bound == Bound::compute ? 1 : 0));
    finish_rows(rows, first);
  }
}

}  // namespace

std::vector<ComparisonRow> compare(const std::vector<Result>& results,
                                   const std::vector<Result>& shown) {
  std::vector<ComparisonRow> rows;
  const std::vector<Group> groups = groups_of(results);
  if (groups.size() == 1 && groups.front().front()->layers.size() > 1)
    add_layers(groups.front(), shown.front(), rows);
  for (const Group& group : groups) add_network(group, rows);
  return rows;
}

}  // namespace roofline
