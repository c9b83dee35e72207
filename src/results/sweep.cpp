#include <algorithm>
#include <map>
#include <tuple>

#include "results/near_best.hpp"
#include "roofline/summary.hpp"

namespace roofline {
namespace {

double& part_of(SweepRow& row, LayerKind kind) {
  switch (kind) {
    case LayerKind::conv:
    case LayerKind::conv_transpose: return row.conv_s;
    case LayerKind::linear:
    case LayerKind::matmul:
    case LayerKind::attention: return row.linear_s;
    case LayerKind::host_copy: return row.copies_s;
    default: return info(kind).family == KindFamily::pool ? row.pool_s : row.other_s;
  }
}

SweepRow row_of(const Result& result) {
  SweepRow row;
  row.batch = *result.setting.batch;
  for (const TypeRow& type : result.types) part_of(row, type.kind) += type.total.time_s;
  row.total_s = row.copies_s + row.conv_s + row.linear_s + row.pool_s + row.other_s;
  row.expected_uncertainty = result.total.expected_uncertainty;
  row.roofline_time_s = result.total.roofline_time_s;
  if (result.bounds.network) row.cached_bound_s = result.bounds.network->cached_bound_s;
  row.measured_time_s = result.total.measured_time_s;
  row.time_per_image_s = row.total_s / static_cast<double>(row.batch);
  if (row.total_s > 0) row.images_per_s = static_cast<double>(row.batch) / row.total_s;
  row.needed_memory_byte = needed_memory_byte(result);
  row.fits = fits(result);
  row.measured_s = result.measured.parts_s;
  return row;
}

void find_best(Sweep& sweep) {
  std::vector<TimedBatch> batches;
  for (const SweepRow& row : sweep.rows)
    batches.push_back({row.batch, row.time_per_image_s, row.fits.value_or(true)});
  const auto found = near_best(batches);
  if (!found) return;
  sweep.best_batch = batches[found->best].batch;
  sweep.near_best_from = batches[found->from].batch;
}

}  // namespace

bool Sweep::has_measured_parts() const {
  return std::any_of(rows.begin(), rows.end(),
                     [](const SweepRow& row) { return !row.measured_s.empty(); });
}

std::vector<Sweep> sweeps_of(const std::vector<Result>& results) {
  std::vector<Sweep> sweeps;
  const auto key_of = [](const Result& result) {
    return std::tie(result.setting.source, result.setting.network, result.setting.item,
                    result.setting.gpu, result.setting.dtype, result.setting.pass);
  };
  std::map<decltype(key_of(results.front())), std::size_t> sweep_of;
  for (const Result& result : results) {
    if (!result.setting.batch) continue;
    const auto [entry, is_new] = sweep_of.try_emplace(key_of(result), sweeps.size());
    if (is_new)
      sweeps.push_back(
          {result.setting.label, result.setting.gpu, result.setting.dtype, {}, {}, {}});
    std::vector<SweepRow>& rows = sweeps[entry->second].rows;
    const bool is_repeat = std::any_of(rows.begin(), rows.end(), [&](const SweepRow& row) {
      return row.batch == *result.setting.batch;
    });
    if (!is_repeat) rows.push_back(row_of(result));
  }
  std::erase_if(sweeps, [](const Sweep& sweep) { return sweep.rows.size() < 2; });
  for (Sweep& sweep : sweeps) {
    std::sort(sweep.rows.begin(), sweep.rows.end(),
              [](const SweepRow& a, const SweepRow& b) { return a.batch < b.batch; });
    find_best(sweep);
  }
  return sweeps;
}

}  // namespace roofline
