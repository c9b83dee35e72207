#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/layer_sizes.hpp"
#include "kernel/resolved_model.hpp"
#include "model/gpu_names.hpp"
#include "model/layer_kind.hpp"
#include "model/ranges.hpp"
#include "model/recording.hpp"
#include "results/explanation.hpp"
#include "results/steps.hpp"

namespace roofline {
namespace {

constexpr StepPart idle_part(IdleCause cause) {
  return enumerators<StepPart>[index_of(StepPart::idle_host) + index_of(cause)];
}
static_assert(idle_part(IdleCause::queued) == StepPart::idle_queued);

/// The least share of the counted multiply-adds that any algorithm does. Winograd with the largest
/// tiles in use does a quarter. FFT does four real multiply-adds for each complex one; a real
/// signal needs half of them: two for an output and a pair of channels, in place of a tap each. It
/// also transforms its input and its result, 1.25 log2(points) multiply-adds a point by a
/// split-radix FFT of real numbers, rounded, of tiles of at least 8 points along each axis. It pays
/// for windows beyond Winograd's 3x3. A stride leaves both the taps of one phase.
double fewest_macs_share(const Layer& layer) {
  if (!has_window(layer.kind) || info(layer.kind).family != KindFamily::contraction) return 1;
  constexpr double winograd = 0.25;
  constexpr double most_winograd_taps = 9;
  constexpr double macs_of_fft = 2;
  constexpr double macs_of_transform_an_axis = 3.75;  // 1.25 x log2(8)
  const double taps = product(layer.window->kernel) / product(layer.window->stride);
  if (taps <= most_winograd_taps) return taps > 1 ? winograd : 1;
  const auto groups = static_cast<double>(layer.groups);
  const double in = static_cast<double>(layer.inputs.front().shape.channels) / groups;
  const double out = static_cast<double>(layer.output.channels) / groups;
  const double transform = macs_of_transform_an_axis * layer.window->rank;
  const double fft = (macs_of_fft + transform * (1 / in + 1 / out)) / taps;
  return std::min(winograd, fft);
}

/// Above the datasheet's: of a GPU that boosts, and of its memory.
constexpr double most_clock = 1.25;
constexpr double most_memory_clock = 1.1;
/// Measurements with cold caches seldom empty a large one: 104.9 MB of weights took 106 us on an
/// L40S, whose cache holds 96 MiB.
constexpr double most_kept_when_cold = 0.12;

/// The highest peak for the layer. A file seldom says whether fp32 was computed in TF32: unless the
/// stack states its engine, TF32 counts.
double most_flop_per_s(const Layer& layer, const Context& context) {
  const EngineRates& peaks = context.gpu.peak_flop_per_s;
  const EngineChoices& own = context.options.engine;
  double most = 0;
  for (const EngineChoices& choices : {own, EngineChoices(EngineChoice::tf32)}) {
    if (choices != own && choice_for(layer, own) != EngineChoice::automatic) continue;
    if (const auto engine = fastest_engine(layer, peaks, choices))
      most = std::max(most, *rate_of(peaks, *engine));
  }
  return most;
}

/// Bytes that any kernel moves to and from memory: a cache holds some of what it reads before it
/// starts, and some of what it writes when it ends.
double fewest_bytes(const LayerResult& row, const Context& context) {
  const auto total = static_cast<double>(row.counts.bytes.total);
  if (context.options.cache == CacheState::cold) return total * (1 - most_kept_when_cold);
  const auto stated_byte = cache_byte_of(context.gpu);
  // As in the expected time, which assumes a size that is not stated.
  const double cache_byte = stated_byte ? static_cast<double>(*stated_byte)
                                        : context.kernel.resolved().memory.l2_size_byte;
  // Backward passes write one of the other parts, and more than one in some kinds.
  if (row.layer.pass != Pass::fwd) return std::max(0.0, total - 2 * cache_byte);
  const auto result = static_cast<double>(row.counts.bytes.output);
  return std::max(0.0, total - result - cache_byte) + std::max(0.0, result - cache_byte);
}

/// Lower bound on any kernel's time: at the highest clock, on the fastest engine that the stack may
/// use, by the algorithm with fewest multiply-adds, with operands and result in L2 as far as they
/// fit.
double least_s(const LayerResult& row, const Context& context) {
  const double flop_per_s = most_flop_per_s(row.layer, context);
  const double flop = static_cast<double>(row.counts.flops) * fewest_macs_share(row.layer);
  const double math_s = flop > 0 && flop_per_s > 0 ? flop / (flop_per_s * most_clock) : 0;
  return std::max(
      math_s, fewest_bytes(row, context) / (context.gpu.bandwidth_byte_per_s * most_memory_clock));
}

/// Libraries have Winograd and FFT for images, at unit strides.
bool saves_macs_usually(const Layer& layer) {
  return layer.kind == LayerKind::conv && layer.groups == 1 && layer.window->rank == 2 &&
         layer.window->kernel[1] > 1 && layer.window->kernel[2] > 1 &&
         layer.window->stride == Axes{1, 1, 1} && layer.window->dilation == Axes{1, 1, 1};
}

BelowBound why_below(const LayerResult& row, const Context& context) {
  const double ratio = *row.measured_time_s / row.point.roofline_time_s;
  if (row.counts.is_upper_estimate) return BelowBound::fewer_bytes;
  if (*row.measured_time_s < least_s(row, context)) return BelowBound::impossible;
  if (row.point.bound == Bound::memory && context.options.cache == CacheState::warm &&
      context.gpu.l2_byte && row.counts.bytes.total <= *context.gpu.l2_byte &&
      *row.measured_time_s >= row.point.compute_time_s)
    return BelowBound::in_l2;
  const double fewest = fewest_macs_share(row.layer);
  if (row.point.bound == Bound::compute && ratio >= fewest &&
      (saves_macs_usually(row.layer) || (fewest < 1 && ratio * most_clock < 1)))
    return BelowBound::fewer_macs;
  return BelowBound::ceilings_too_low;
}

constexpr std::size_t most_listed = 10;

void add_row(MeasuredSummary& summary, const LayerResult& row) {
  ++summary.rows;
  add_to_total(summary.total, row);
  add_to_types(summary.types, row);
  const double measured_s = *row.measured_time_s;
  if (row.better_time_s) {
    ++summary.bad_choices.layers;
    summary.bad_choices.measured_s += measured_s;
    summary.bad_choices.expected_s += *row.better_time_s;
  }
}

/// Whether it took longer than 95 of 100 kernels take that are expected to take as long.
bool is_slow(const LayerResult& row) {
  const double factor = row.expected_uncertainty ? row.expected_uncertainty->factor_95 : 1;
  return *row.measured_time_s > factor * *row.expected_time_s();
}

/// The largest part of the expected time apart from the bound's resource, or unexplained time.
std::string why_lost(const LayerResult& row, bool is_recorded) {
  if (row.better_time_s)
    return "the library chose badly: " + row.layer.measured->kernel + ", not " +
           std::string(better_kernel(row));
  const double unexplained_s = *row.measured_time_s - *row.expected_time_s();
  const Limiter own = row.point.bound == Bound::compute ? Limiter::math : Limiter::dram;
  const auto& part_s = row.kernel->part_s;
  Limiter largest = own == Limiter::math ? Limiter::instructions : Limiter::math;
  for (const Limiter limiter : enumerators<Limiter>)
    if (limiter != own && part_s[limiter] > part_s[largest]) largest = limiter;
  const double rate_s = part_s[own] - row.point.roofline_time_s;
  if (unexplained_s > std::max(part_s[largest], rate_s) && is_slow(row))
    return "slower than a library's kernel should be";
  // For an unknown kernel of the user's own, only a library's losses are known.
  if (!is_recorded && row.layer.mapping == KernelMapping{})
    return "a library's kernel would lose most to " +
           std::string(meaning_of(row.kernel->limiter()));
  if (rate_s > part_s[largest])
    return own == Limiter::math ? "the practical rate is below the peak"
                                : "the practical bandwidth is below the peak";
  return "mostly " + std::string(meaning_of(largest));
}

std::string best_help(const LayerResult& row, const Result& result, const Context& context) {
  const std::vector<Advice> all = advise(row, result, context);
  const auto best = std::ranges::max_element(all, {}, &Advice::speedup);
  return best == all.end() ? "" : best->text;
}

/// Layers equal in all but their names count as one.
void add_lost(std::vector<LostTime>& lost, const Result& result, std::size_t row, double seconds) {
  if (lost.empty() || !is_same_work(result.layers[lost.back().row], result.layers[row]))
    return lost.push_back({row, 1, seconds, "", ""});
  ++lost.back().layers;
  lost.back().lost_s += seconds;
}

std::vector<LostTime> most_lost(const Result& result, const Context& context) {
  std::vector<LostTime> lost;
  for (std::size_t i = 0; i < result.layers.size(); ++i)
    if (const auto seconds = lost_s(result.layers[i]); seconds && *seconds > 0)
      if (result.layers[i].kernel) add_lost(lost, result, i, *seconds);
  std::ranges::stable_sort(lost, std::greater(), &LostTime::lost_s);
  if (lost.size() > most_listed) lost.resize(most_listed);
  for (LostTime& each : lost) {
    each.why = why_lost(result.layers[each.row], result.measured.recording != nullptr);
    each.help = best_help(result.layers[each.row], result, context);
  }
  return lost;
}

/// If the expected time is below the bound, the bound replaces it. What layers that are faster than
/// expected take beyond their bound is split as the expected time is.
void add_layers(Verdict& verdict, const MeasuredSummary& summary) {
  const auto& part_s = summary.total.part_s;
  const double bound_s = summary.total.roofline_time_s;
  double rest_s = *summary.total.measured_time_s;
  const auto take = [&](StepPart part, double time_s) {
    verdict.part_s[part] = std::clamp(time_s, 0.0, rest_s);
    rest_s -= verdict.part_s[part];
  };
  take(StepPart::bound, bound_s);
  const double rates_s =
      std::max(0.0, part_s[Limiter::math] + part_s[Limiter::dram] + part_s[Limiter::l2] +
                        part_s[Limiter::in_flight] - bound_s);
  const double small_s = part_s[Limiter::launch] + part_s[Limiter::latency] +
                         part_s[Limiter::last_wave] + part_s[Limiter::tile_padding] +
                         part_s[Limiter::occupancy];
  const double beyond_s = rates_s + part_s[Limiter::instructions] + small_s;
  const double shortened = beyond_s > rest_s ? rest_s / beyond_s : 1;
  take(StepPart::rates, shortened * rates_s);
  take(StepPart::instructions, shortened * part_s[Limiter::instructions]);
  take(StepPart::small_kernels, shortened * small_s);
  take(StepPart::unexplained, rest_s);
}

/// A recorder slows launches, but no first uses of kernels: its time is part of the host's gaps,
/// and only beyond them of the others.
void take_out_recorder(Verdict& verdict, const TraceSummary& recording) {
  double& launches_s = verdict.part_s[StepPart::idle_host];
  const double taken_s = recording.span_s - *recording.unrecorded_s;
  const double most_s = std::max(0.0, launches_s - first_uses_s(recording));
  const double of_launches_s = std::min(taken_s, most_s);
  launches_s -= of_launches_s;
  const double idle_s = verdict.idle_s();
  const double rest_s = std::min(taken_s - of_launches_s, idle_s);
  if (rest_s <= 0) return;
  for (const IdleCause cause : enumerators<IdleCause>)
    verdict.part_s[idle_part(cause)] *= 1 - rest_s / idle_s;
}

/// Kernels which ran side by side took less of the step than the sum of their times.
void add_recording(Verdict& verdict, const TraceSummary& recording) {
  auto& step_s = verdict.part_s;
  const double kernels_s =
      std::max(0.0, recording.busy_s - recording.copies_alone_s - recording.collectives_alone_s);
  const double layers_s = verdict.layers_s() + step_s[StepPart::overcounted];
  if (layers_s > kernels_s)
    for (double& part_s : step_s) part_s *= kernels_s / layers_s;
  step_s[StepPart::other_kernels] = std::max(0.0, kernels_s - layers_s);
  step_s[StepPart::copies] = recording.copies_alone_s;
  step_s[StepPart::collectives] = recording.collectives_alone_s;
  for (const IdleCause cause : enumerators<IdleCause>)
    step_s[idle_part(cause)] = recording.idle_by_cause_s[cause];
  if (!recording.unrecorded_s) return;
  verdict.recorded_step_s = recording.span_s;
  verdict.is_stated = recording.unrecorded_is_stated;
  take_out_recorder(verdict, recording);
}

/// Records in a row name one GPU.
bool is_called(const Context& context, const std::string& name) {
  thread_local std::string last;
  thread_local std::string normal;
  if (name != last) normal = normal_gpu_name(last = name);
  return contains(context.gpu_names, normal);
}

}  // namespace

void set_measured_gpu(Network& network, const std::string& gpu) {
  for (Layer& layer : network.layers)
    if (layer.measured->is_known() && layer.measured->gpu.empty())
      layer.measured.change([&](Measured& measured) { measured.gpu = gpu; });
}

void set_measured(LayerResult& row, const Context& context) {
  const Measured& stated = *row.layer.measured;
  row.measured = row.layer.measured;
  if (!stated.is_known()) return;
  // A hypothetical GPU has no measured times.
  const bool on_this_gpu = context.gpu.changes.empty() && is_called(context, stated.gpu);
  const bool is_of_row = !stated.other_batch && stated.pass == row.layer.pass;
  if (!is_of_row || !on_this_gpu) row.measured = {};
  // Another GPU's time stays the layer's: files that are written of it still hold it. Written
  // beside this GPU, a time of no named GPU would be taken for this one's.
  if (!is_of_row || stated.gpu.empty()) row.layer.measured = row.measured;
  row.measured_time_s =
      context.options.cache == CacheState::cold ? row.measured->cold_s : row.measured->warm_s;
  row.measured_left_out = !row.measured_time_s;
  if (row.measured_time_s && *row.measured_time_s < row.point.roofline_time_s)
    row.below_bound = why_below(row, context);
}

bool is_same_work(const LayerResult& row, const LayerResult& other) {
  return row.layer.kind == other.layer.kind && row.counts.macs == other.counts.macs &&
         row.counts.bytes.total == other.counts.bytes.total &&
         row.measured_time_s == other.measured_time_s;
}

std::optional<double> lost_s(const LayerResult& row) {
  if (!row.measured_time_s || row.below_bound == BelowBound::fewer_bytes) return std::nullopt;
  return std::max(0.0, *row.measured_time_s - row.point.roofline_time_s);
}

bool is_of_counted_work(const LayerResult& row) {
  return row.below_bound != BelowBound::impossible && row.below_bound != BelowBound::fewer_bytes;
}

std::optional<ImpossibleTimes> impossible_times(const Result& result, const Context& context) {
  ImpossibleTimes times;
  double farthest = 1;
  double measured_s = 0;
  double expected_s = 0;
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    const LayerResult& row = result.layers[i];
    if (row.below_bound != BelowBound::impossible) continue;
    ++times.rows;
    measured_s += *row.measured_time_s;
    expected_s += time_s(row);
    const double least = least_s(row, context);
    if (*row.measured_time_s / least >= farthest) continue;
    farthest = *row.measured_time_s / least;
    times.row = i;
    times.least_s = least;
  }
  if (times.rows == 0) return std::nullopt;
  constexpr double fitting = 2.5;
  double nearest = fitting;
  for (const double factor :
       {10.0, 1000.0, static_cast<double>(result.setting.batch.value_or(1))}) {
    const double ratio = factor * measured_s / expected_s;
    if (const double off = std::max(ratio, 1 / ratio); factor > 1 && off < nearest) {
      nearest = off;
      times.factor = factor;
    }
  }
  return times;
}

std::optional<MeasuredSummary> measured_summary(const Result& result, const Context& context) {
  MeasuredSummary summary;
  for (const LayerResult& row : result.layers) {
    if (row.measured_time_s && row.kernel && is_of_counted_work(row)) add_row(summary, row);
    if (row.below_bound != BelowBound::fewer_bytes) continue;
    ++summary.overcounted;
    summary.overcounted_s += *row.measured_time_s;
  }
  if (summary.rows + summary.overcounted == 0) return std::nullopt;
  const double measured_s = *summary.total.measured_time_s;
  if (const double beyond_s = measured_s - *summary.total.expected_time_s; beyond_s < 0) {
    summary.not_split_s = measured_s;
  } else {
    summary.part_s = summary.total.part_s;
    summary.unexplained_s = beyond_s;
  }
  std::ranges::stable_sort(summary.types, std::greater(),
                           [](const TypeRow& type) { return type.total.measured_time_s; });
  summary.most_lost = most_lost(result, context);
  summary.slow_convolutions = slow_convolutions(result, context);
  return summary;
}

Verdict verdict_of(const Result& result, const Context& context) {
  Verdict verdict;
  add_layers(verdict, *result.measured.summary);
  verdict.part_s[StepPart::overcounted] = result.measured.summary->overcounted_s;
  const TraceSummary* recording = result.measured.recording.get();
  verdict.knows_gaps =
      recording != nullptr && recording->span_s > 0 && !recording->times_hold_launches;
  if (verdict.knows_gaps) add_recording(verdict, *recording);
  for (const double part_s : verdict.part_s) verdict.step_s += part_s;
  verdict.actions = advise_run(result, context, verdict);
  return verdict;
}

}  // namespace roofline
