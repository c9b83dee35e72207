#include "results/lost_time.hpp"

#include <algorithm>

#include "roofline/advice.hpp"

namespace roofline {
namespace {

constexpr std::size_t most_listed = 10;

void add_to_types(std::vector<MeasuredType>& types, const LayerResult& row) {
  auto type = std::find_if(types.begin(), types.end(),
                           [&](const MeasuredType& each) { return each.kind == row.layer.kind; });
  if (type == types.end()) type = types.insert(types.end(), {row.layer.kind, 0, 0, 0, 0});
  ++type->rows;
  type->measured_s += *row.measured_time_s;
  type->roofline_s += row.point.roofline_time_s;
  type->expected_s += *row.expected_time_s;
}

void raise(std::optional<double>& best, double rate) {
  if (!best || rate > *best) best = rate;
}

void add_row(MeasuredSummary& summary, const LayerResult& row) {
  ++summary.rows;
  summary.measured_s += *row.measured_time_s;
  summary.roofline_s += row.point.roofline_time_s;
  summary.expected_s += *row.expected_time_s;
  for (const Limiter limiter : enumerators<Limiter>)
    summary.part_s[limiter] += row.kernel->part_s[limiter];
  add_to_types(summary.types, row);
  const double measured_s = *row.measured_time_s;
  if (row.counts.flops > 0 && !row.below_bound)
    raise(summary.best_flop_per_s[row.engine], static_cast<double>(row.counts.flops) / measured_s);
  if (!row.below_bound)
    raise(summary.best_byte_per_s, static_cast<double>(row.counts.bytes.total) / measured_s);
}

/// What stands between the bound and the measured time: the largest part of the expected time that
/// is not the bound's own resource, or what the model does not explain.
std::string why_lost(const LayerResult& row) {
  const double unexplained_s = *row.measured_time_s - *row.expected_time_s;
  const Limiter own = row.point.bound == Bound::compute ? Limiter::math : Limiter::dram;
  const auto& part_s = row.kernel->part_s;
  Limiter largest = own == Limiter::math ? Limiter::instructions : Limiter::math;
  for (const Limiter limiter : enumerators<Limiter>)
    if (limiter != own && part_s[limiter] > part_s[largest]) largest = limiter;
  const double rate_s = part_s[own] - row.point.roofline_time_s;
  if (unexplained_s > std::max(part_s[largest], rate_s))
    return "slower than a library's kernel should be";
  if (rate_s > part_s[largest])
    return own == Limiter::math ? "the practical rate is below the peak"
                                : "the practical bandwidth is below the peak";
  return "mostly " + std::string(meaning_of(largest));
}

std::string best_help(const LayerResult& row, const Result& result, const Context& context) {
  const std::vector<Advice> all = advise(row, result, context);
  const auto best = std::max_element(
      all.begin(), all.end(), [](const auto& a, const auto& b) { return a.speedup < b.speedup; });
  return best == all.end() ? "" : best->change;
}

/// Layers that differ in nothing but their names count as one.
void add_lost(std::vector<LostTime>& lost, const Result& result, std::size_t row, double seconds) {
  const LayerResult& layer = result.layers[row];
  if (!lost.empty()) {
    const LayerResult& last = result.layers[lost.back().row];
    if (last.layer.kind == layer.layer.kind && last.counts.macs == layer.counts.macs &&
        last.counts.bytes.total == layer.counts.bytes.total &&
        last.measured_time_s == layer.measured_time_s) {
      ++lost.back().layers;
      lost.back().lost_s += seconds;
      return;
    }
  }
  lost.push_back({row, 1, seconds, "", ""});
}

std::vector<LostTime> most_lost(const Result& result, const Context& context) {
  std::vector<LostTime> lost;
  for (std::size_t i = 0; i < result.layers.size(); ++i)
    if (const auto seconds = lost_s(result.layers[i]); seconds && *seconds > 0)
      if (result.layers[i].kernel) add_lost(lost, result, i, *seconds);
  std::stable_sort(lost.begin(), lost.end(),
                   [](const LostTime& a, const LostTime& b) { return a.lost_s > b.lost_s; });
  if (lost.size() > most_listed) lost.resize(most_listed);
  for (LostTime& each : lost) {
    each.why = why_lost(result.layers[each.row]);
    each.help = best_help(result.layers[each.row], result, context);
  }
  return lost;
}

}  // namespace

std::optional<double> lost_s(const LayerResult& row) {
  if (!row.measured_time_s) return std::nullopt;
  return *row.measured_time_s - row.point.roofline_time_s;
}

std::optional<MeasuredSummary> measured_summary(const Result& result, const Context& context) {
  MeasuredSummary summary;
  for (const LayerResult& row : result.layers)
    if (row.measured_time_s && row.kernel) add_row(summary, row);
  if (summary.rows == 0) return std::nullopt;
  summary.unexplained_s = summary.measured_s - summary.expected_s;
  std::stable_sort(summary.types.begin(), summary.types.end(),
                   [](const auto& a, const auto& b) { return a.measured_s > b.measured_s; });
  summary.most_lost = most_lost(result, context);
  return summary;
}

}  // namespace roofline
