#include <algorithm>

#include "model/gpu_names.hpp"
#include "results/steps.hpp"
#include "roofline/explanation.hpp"

namespace roofline {
namespace {

/// Below what any faster engine of a part could do: the slips from ms to us to s are a thousand.
constexpr double unit_slip = 1.0 / 30;

bool may_save_macs(const Layer& layer) {
  return layer.kind == LayerKind::conv && layer.groups == 1 && layer.window->rank == 2 &&
         layer.window->kernel[1] > 1 && layer.window->kernel[2] > 1 &&
         layer.window->stride == Axes{1, 1, 1} && layer.window->dilation == Axes{1, 1, 1};
}

BelowBound why_below(const LayerResult& row, const Context& context) {
  // Winograd with the largest tiles in use does a quarter of the multiply-adds.
  constexpr double fewest_macs_share = 0.25;
  const double ratio = *row.measured_time_s / row.point.roofline_time_s;
  if (ratio < unit_slip) return BelowBound::units;
  if (row.point.bound == Bound::memory && context.options.cache == CacheState::warm &&
      context.gpu.l2_byte && row.counts.bytes.total <= *context.gpu.l2_byte &&
      *row.measured_time_s >= row.point.compute_time_s)
    return BelowBound::in_l2;
  if (row.point.bound == Bound::compute && may_save_macs(row.layer) && ratio >= fewest_macs_share)
    return BelowBound::fewer_macs;
  return BelowBound::ceilings_too_low;
}

constexpr std::size_t most_listed = 10;

void raise(std::optional<double>& best, double rate) {
  if (!best || rate > *best) best = rate;
}

void add_row(MeasuredSummary& summary, const LayerResult& row) {
  ++summary.rows;
  add_to_total(summary.total, row);
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
  return best == all.end() ? "" : best->text;
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

void add_layers(Verdict& verdict, const MeasuredSummary& summary) {
  const auto& part_s = summary.total.part_s;
  auto& step_s = verdict.part_s;
  step_s[StepPart::bound] = summary.total.roofline_time_s;
  step_s[StepPart::rates] = part_s[Limiter::math] + part_s[Limiter::dram] + part_s[Limiter::l2] +
                            part_s[Limiter::in_flight] - summary.total.roofline_time_s;
  step_s[StepPart::instructions] = part_s[Limiter::instructions];
  step_s[StepPart::small_kernels] = part_s[Limiter::launch] + part_s[Limiter::latency] +
                                    part_s[Limiter::last_wave] + part_s[Limiter::tile_padding] +
                                    part_s[Limiter::occupancy];
  step_s[StepPart::unexplained] = summary.unexplained_s;
}

void add_recording(Verdict& verdict, const TraceSummary& recording) {
  auto& step_s = verdict.part_s;
  step_s[StepPart::copies] = recording.copies_alone_s;
  step_s[StepPart::collectives] = recording.collectives_alone_s;
  step_s[StepPart::other_kernels] = recording.busy_s - verdict.layers_s() -
                                    recording.copies_alone_s - recording.collectives_alone_s;
  for (const auto& [part, cause] : idle_parts) step_s[part] = recording.idle_by_cause_s[cause];
}

}  // namespace

void set_measured(LayerResult& row, const Context& context, bool gpu_is_known) {
  const Measured& measured = *row.layer.measured;
  if (!measured.is_known()) return;
  // Nothing was measured on a part that is not built.
  const bool on_this_gpu = context.gpu.changes.empty() && (gpu_is_known || measured.gpu.empty() ||
                                                           answers_to(context.gpu, measured.gpu));
  if (measured.other_batch || measured.pass != row.layer.pass || !on_this_gpu)
    row.layer.measured = {};
  row.measured_time_s = context.options.cache == CacheState::cold ? row.layer.measured->cold_s
                                                                  : row.layer.measured->warm_s;
  row.measured_left_out = !row.measured_time_s;
  if (row.measured_time_s && *row.measured_time_s < row.point.roofline_time_s)
    row.below_bound = why_below(row, context);
}

std::optional<double> lost_s(const LayerResult& row) {
  if (!row.measured_time_s) return std::nullopt;
  return *row.measured_time_s - row.point.roofline_time_s;
}

std::optional<MeasuredSummary> measured_summary(const Result& result, const Context& context) {
  MeasuredSummary summary;
  for (const LayerResult& row : result.layers)
    if (row.measured_time_s && row.kernel) add_row(summary, row);
  if (summary.rows == 0) return std::nullopt;
  summary.unexplained_s = *summary.total.measured_time_s - *summary.total.expected_time_s;
  std::stable_sort(summary.types.begin(), summary.types.end(), [](const auto& a, const auto& b) {
    return a.total.measured_time_s > b.total.measured_time_s;
  });
  summary.most_lost = most_lost(result, context);
  return summary;
}

Verdict verdict_of(const Result& result, const Context& context) {
  Verdict verdict;
  add_layers(verdict, *result.measured.summary);
  const TraceSummary* recording = result.measured.recording.get();
  verdict.knows_gaps =
      recording != nullptr && recording->span_s > 0 && !recording->times_hold_launches;
  if (verdict.knows_gaps) add_recording(verdict, *recording);
  for (const double part_s : verdict.part_s) verdict.step_s += part_s;
  verdict.actions = advise_run(result, context, verdict);
  return verdict;
}

}  // namespace roofline
