#include <algorithm>
#include <cmath>

#include "roofline/summary.hpp"

namespace roofline {
namespace {

constexpr double linear_exponent = 0.9;

double& part_of(SweepRow& row, LayerKind kind) {
  switch (kind) {
    case LayerKind::conv:
    case LayerKind::conv_transpose: return row.conv_s;
    case LayerKind::linear:
    case LayerKind::matmul: return row.linear_s;
    case LayerKind::host_copy: return row.copies_s;
    default: return info(kind).family == KindFamily::pool ? row.pool_s : row.other_s;
  }
}

SweepRow row_of(const Result& result) {
  SweepRow row;
  row.batch = *result.batch;
  for (const LayerResult& layer : result.layers) {
    const double all_copies_s = static_cast<double>(layer.layer.repeat) * time_s(layer);
    part_of(row, layer.layer.kind) += all_copies_s;
    row.total_s += all_copies_s;
  }
  return row;
}

std::optional<std::uint64_t> linear_from(const std::vector<SweepRow>& rows) {
  std::optional<std::uint64_t> from;
  for (std::size_t i = rows.size() - 1; i > 0; --i) {
    const double time_growth = std::log(rows[i].total_s / rows[i - 1].total_s);
    const double batch_growth =
        std::log(static_cast<double>(rows[i].batch) / static_cast<double>(rows[i - 1].batch));
    if (time_growth < linear_exponent * batch_growth) break;
    from = rows[i - 1].batch;
  }
  return from;
}

}  // namespace

std::vector<Sweep> sweeps_of(const std::vector<Result>& results) {
  std::vector<Sweep> sweeps;
  std::vector<const Result*> firsts;
  for (const Result& result : results) {
    if (!result.batch) continue;
    const auto first = std::find_if(firsts.begin(), firsts.end(), [&](const Result* each) {
      return each->source == result.source && each->network == result.network &&
             each->gpu == result.gpu && each->pass == result.pass;
    });
    if (first == firsts.end()) {
      firsts.push_back(&result);
      sweeps.push_back({result.network, result.gpu, {row_of(result)}, std::nullopt});
    } else {
      sweeps[static_cast<std::size_t>(first - firsts.begin())].rows.push_back(row_of(result));
    }
  }
  std::erase_if(sweeps, [](const Sweep& sweep) { return sweep.rows.size() < 2; });
  for (Sweep& sweep : sweeps) {
    std::sort(sweep.rows.begin(), sweep.rows.end(),
              [](const SweepRow& a, const SweepRow& b) { return a.batch < b.batch; });
    sweep.linear_from = linear_from(sweep.rows);
  }
  return sweeps;
}

}  // namespace roofline
