#include "report/view.hpp"

#include <algorithm>
#include <utility>

namespace roofline {
namespace {

double sort_key(const LayerResult& row, SortBy by) {
  const auto copies = static_cast<double>(row.layer.repeat);
  switch (by) {
    case SortBy::time: return row.time_share;
    case SortBy::flops: return copies * static_cast<double>(row.counts.flops);
    case SortBy::bytes: return copies * static_cast<double>(row.counts.bytes.total);
    case SortBy::intensity: return row.point.intensity_flop_per_byte.value_or(0);
  }
  return 0;
}

/// How many of the first rows make up the share of the time.
std::size_t rows_covering(const std::vector<LayerResult>& rows, double share) {
  double covered = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    covered += rows[i].time_share;
    if (covered >= share) return i + 1;
  }
  return rows.size();
}

}  // namespace

void apply_view(Result& result, const View& view) {
  std::vector<LayerResult>& rows = result.layers;
  const std::optional<SortBy> by = view.sort                      ? view.sort
                                   : view.top || view.cover_share ? std::optional(SortBy::time)
                                                                  : std::nullopt;
  if (by)
    std::stable_sort(rows.begin(), rows.end(), [&](const LayerResult& a, const LayerResult& b) {
      return sort_key(a, *by) > sort_key(b, *by);
    });
  std::size_t kept = rows.size();
  if (view.cover_share) kept = rows_covering(rows, *view.cover_share);
  if (view.top) kept = std::min<std::size_t>(kept, *view.top);
  result.rows_hidden = rows.size() - kept;
  rows.resize(kept);
}

Report make_report(std::vector<Result> results, std::vector<InputError> errors, const View& view) {
  Report report;
  report.view = view;
  report.errors = std::move(errors);
  report.sweeps = sweeps_of(results);
  report.results = results;
  for (Result& result : report.results) apply_view(result, view);
  report.comparison = compare(results, report.results);
  return report;
}

}  // namespace roofline
