// --explain: the derivation of a layer's numbers, or one screen on a network's time.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/derivation.hpp"
#include "kernel/engine_facts.hpp"
#include "model/layer_kind.hpp"
#include "model/text.hpp"
#include "report/rows.hpp"
#include "report/sections.hpp"
#include "results/explanation.hpp"
#include "results/report.hpp"
#include "results/steps.hpp"

namespace roofline {
namespace {

constexpr std::size_t widest_name = 40;

/// "3x3"
std::string axes_text(const Axes& axes, std::size_t rank) {
  return fmt::format("{}", fmt::join(std::span(axes).last(rank), "x"));
}

std::string padding_text(const Window& window) {
  const std::string begin = axes_text(window.pad_begin, window.rank);
  const std::string end = axes_text(window.pad_end, window.rank);
  return begin == end ? begin : begin + " before and " + end + " after";
}

std::string window_text(const Layer& layer) {
  const Window& window = *layer.window;
  std::string text =
      fmt::format(", window {}, stride {}, padding {}", axes_text(window.kernel, window.rank),
                  axes_text(window.stride, window.rank), padding_text(window));
  if (std::ranges::any_of(window.dilation, [](auto d) { return d > 1; }))
    text += ", dilation " + axes_text(window.dilation, window.rank);
  return layer.groups > 1 ? fmt::format("{}, {} groups", text, layer.groups) : text;
}

std::string macs_text(const Layer& layer, const Counts& counts) {
  const Shape& in = layer.inputs.front().shape;
  const Shape& out = layer.output;
  const auto product = [](const Axes& axes) { return axes[0] * axes[1] * axes[2]; };
  const std::uint64_t taps = product(layer.window->kernel);
  if (layer.kind == LayerKind::conv_transpose)
    return fmt::format("batch x inputs x K/groups x taps = {} x {} x {} x {} = {}", in.batch,
                       in.channels * product(in.spatial), out.channels / layer.groups, taps,
                       counts.macs);
  if (taps > 1)
    return fmt::format("batch x K x positions x C/groups x taps = {} x {} x {} x {} x {} = {}",
                       out.batch, out.channels, product(out.spatial), in.channels / layer.groups,
                       taps, counts.macs);
  return fmt::format("batch x outputs x inputs = {} x {} x {} = {}", out.batch,
                     out.channels * product(out.spatial), in.channels / layer.groups, counts.macs);
}

/// "intensity", "FLOP / bytes = ..."
template <class... Args>
void add(List& list, std::string_view name, fmt::format_string<Args...> form, Args&&... args) {
  list.add(name, fmt::format(form, std::forward<Args>(args)...));
}

/// A long formula has its numbers on the next line.
std::string formula(std::string text) {
  constexpr std::size_t widest = 67;
  const std::size_t numbers = text.find(" = ");
  if (text.size() > widest && numbers != text.npos) text[numbers] = '\n';
  return text;
}

/// What the line of bytes above leaves out or overestimates.
std::string bytes_note(const LayerResult& row) {
  const Layer& layer = row.layer;
  if (row.counts.is_upper_estimate)
    return "at most: the layer may touch fewer, so that no bound follows";
  const auto input_byte = [&](std::uint64_t elements) {
    return si(stored_byte(elements, layer.dtypes.input), "B");
  };
  const std::uint64_t whole = elements(layer.inputs.front().shape);
  const std::uint64_t read = elements_read(layer, 0);
  if (read == whole || layer.pass == Pass::dgrad) return "";
  return fmt::format("read of the input: {} of {}, what the result is made of", input_byte(read),
                     input_byte(whole));
}

List work_list(const LayerResult& row) {
  const Layer& layer = row.layer;
  const Counts& counts = row.counts;
  const auto sizes_of = [](const Operand& operand) { return shape_text(operand.shape); };
  const std::string inputs = joined(each_of(layer.inputs, sizes_of), " and ");
  List list;
  add(list, "sizes", "{} -> {}{}", inputs, shape_text(layer.output),
      has_window(layer.kind) ? window_text(layer) : "");
  if (counts.macs > 0) {
    list.add("MACs", formula(macs_text(layer, counts)));
    add(list, "FLOP", "2 x MACs = {}", counts.flops);
  } else {
    add(list, "FLOP", "{} an element = {}", info(layer.kind).flop_per_element, counts.flops);
  }
  add(list, "bytes", "input {} + weight {} + output {} = {}", si(counts.bytes.input, "B"),
      si(counts.bytes.weight, "B"), si(counts.bytes.output, "B"), si(counts.bytes.total, "B"));
  list.add("", bytes_note(row));
  return list;
}

List roofline_list(const LayerResult& row, const Ceilings& ceilings) {
  const RooflinePoint& point = row.point;
  const std::string rate = si(*rate_of(ceilings.peak_flop_per_s, row.engine), "FLOP/s");
  const std::string bandwidth = si(ceilings.bandwidth_byte_per_s, "B/s");
  const std::string flops = si(row.counts.flops, "FLOP");
  const std::string moved = si(row.counts.bytes.total, "B");
  const std::string ridge = plain(point.ridge_flop_per_byte);
  const auto intensity = point.intensity_flop_per_byte;
  List list;
  if (intensity)
    add(list, "intensity", "FLOP / bytes = {} / {} = {} FLOP/B", flops, moved, plain(*intensity));
  add(list, "ridge", "peak / bandwidth = {} ({}) / {} = {} FLOP/B", rate, name_of(row.engine),
      bandwidth, ridge);
  if (intensity)
    add(list, "bound", "{} is {}", plain(*intensity),
        point.bound == Bound::compute ? "not below the ridge: compute, the arithmetic takes longer"
                                      : "below the ridge: memory, moving the bytes takes longer");
  add(list, "compute", "FLOP / peak = {} / {} = {}", flops, rate, duration(point.compute_time_s));
  add(list, "memory", "bytes / bandwidth = {} / {} = {}", moved, bandwidth,
      duration(point.memory_time_s));
  add(list, "roofline", "the longer of the two: {}", duration(point.roofline_time_s));
  return list;
}

std::string mapping_text(const KernelPlan& kernel) {
  std::string text(name_of(kernel.algorithm));
  if (!kernel.solver->empty()) text += fmt::format(" ({})", *kernel.solver);
  if (kernel.split_k > 1) text += fmt::format(", split-K {}", kernel.split_k);
  if (kernel.threads > 0) text += fmt::format(", {} threads", kernel.threads);
  if (kernel.registers > 0) text += fmt::format(", {} registers", kernel.registers);
  if (kernel.shared_memory_byte > 0)
    text +=
        fmt::format(", {:.3g} KiB shared", static_cast<double>(kernel.shared_memory_byte) / 1024);
  const char* gap = text.size() > 75 ? ",\n" : ", ";  // lines of 100 columns
  if (kernel.kernels > 1) text += fmt::format("{}{} kernels", gap, kernel.kernels);
  return text;
}

/// A stated tile is the user's own.
std::string lacking_text(const LayerResult& row) {
  return row.kernel->in_library || row.layer.mapping->tile
             ? ""
             : "; a kernel that the library does not have";
}

bool is_for_tensor_cores(const LayerResult& row) {
  return is_any(row.planned_engine, Engine::tf32, Engine::fp16_tensor, Engine::bf16);
}

/// "groups of 4 channels in fp32, NHWC"
std::string missing_kernel(const Layer& layer) {
  const auto channels = layer.inputs.front().shape.channels / layer.groups;
  return fmt::format("{}{} channel{} in {}, {}", layer.groups > 1 ? "groups of " : "", channels,
                     channels == 1 ? "" : "s", name_of(layer.dtypes.input),
                     layout_of(layer) == Layout::nchw ? "NCHW" : "NHWC");
}

/// Why a convolution for tensor cores, on which the library has nothing as fast, runs elsewhere.
void add_vector_units(List& list, const Explanation& explanation, const LayerResult& row) {
  const bool widened = std::ranges::any_of(explanation.steps, [](const DerivationStep& step) {
    return step.quantity == "bits of an element" && step.value == 32;
  });
  if (!falls_to_vector_units(row) && !(widened && is_for_tensor_cores(row))) return;
  add(list, "", "on vector units: the {} for this:",
      row.layer.kernels == KernelSource::heuristic ? "heuristic picks no tensor-core kernel"
                                                   : "library has no tensor-core kernel as fast");
  list.add("", missing_kernel(row.layer));
}

/// "ceil(65536 / 64) x ceil(64 / 64) = 1024 blocks", from the derivation.
std::string blocks_text(const Explanation& explanation, const KernelPlan& kernel) {
  for (const DerivationStep& step : explanation.steps)
    if (step.quantity == "blocks" && !step.expression.empty())
      return fmt::format("{} = {} blocks", step.expression, kernel.blocks);
  return fmt::format("{} blocks", kernel.blocks);
}

void add_tiles(List& list, const Explanation& explanation, const KernelPlan& kernel) {
  if (kernel.tile[0] == 0) return;
  add(list, "tiles", "{}: {}", fmt::join(kernel.tile, "x"), blocks_text(explanation, kernel));
  add(list, "", "{:.0f}% of the arithmetic issued is useful", 100 * kernel.tile_utilization);
}

/// Why the SMs are busier than the waves are full: blocks spread evenly over them.
void add_busy(List& list, const KernelPlan& kernel, double blocks_per_sm) {
  const double most = blocks_per_sm / kernel.wave_utilization;
  const std::string busy = fmt::format("SMs {:.0f}% busy", 100 * kernel.wave_utilization);
  constexpr double rounding = 0.01;
  if (std::fabs(most - std::round(most)) > rounding)
    list.add("", busy);
  else
    add(list, "", "{} blocks an SM, {:.0f} on the fullest: {}", plain(blocks_per_sm), most, busy);
}

void add_waves(List& list, const KernelPlan& kernel) {
  if (kernel.blocks == 0 || kernel.resident_blocks_per_sm == 0 || !(kernel.waves > 0)) return;
  const double at_once = static_cast<double>(kernel.blocks) / kernel.waves;
  const double sms = at_once / static_cast<double>(kernel.resident_blocks_per_sm);
  add(list, "waves", "{} blocks / ({:.0f} SMs x {} resident) = {}, occupancy {:.0f}%",
      kernel.blocks, sms, kernel.resident_blocks_per_sm, plain(kernel.waves),
      100 * kernel.occupancy);
  add_busy(list, kernel, static_cast<double>(kernel.blocks) / sms);
}

/// Kernels without tiles: their blocks, and the memory rate that their bytes in flight allow.
void add_stream(List& list, const KernelPlan& kernel) {
  if (kernel.resident_blocks_per_sm == 0 && kernel.blocks > 0 && kernel.waves > 0)
    add(list, "blocks", "{} for {:.0f} SMs", kernel.blocks,
        static_cast<double>(kernel.blocks) / kernel.waves);
  if (kernel.in_flight_byte_per_s && kernel.part_s[Limiter::in_flight] > 0)
    add(list, "in flight", "bytes enough for {}", si(*kernel.in_flight_byte_per_s, "B/s"));
}

void add_traffic(List& list, const LayerResult& row) {
  const KernelPlan& kernel = *row.kernel;
  const auto flops = static_cast<double>(row.counts.flops);
  const auto intensity = [&](double moved) {
    return moved > 0 && flops > 0 ? fmt::format(": {} FLOP/B", plain(flops / moved)) : "";
  };
  add(list, "traffic", "at L2 {}{}", si(kernel.l2_byte, "B"), intensity(kernel.l2_byte));
  add(list, "", "at DRAM {} read, {} written{}", si(kernel.dram_read_byte, "B"),
      si(kernel.dram_write_byte, "B"), intensity(kernel.dram_read_byte + kernel.dram_write_byte));
}

/// "68 of 100 times within x1.16, 95 within x1.42"
std::string odds_text(const std::optional<Uncertainty>& uncertainty) {
  if (!uncertainty) return "no range is known";
  return fmt::format("68 of 100 times within {}, 95 within {}", factor(uncertainty->factor),
                     factor(uncertainty->factor_95));
}

/// "from an idle clock: x4.18 of a busy GPU's"
std::string idle_text(const LayerResult& row) {
  const double ratio = row.kernel->idle_ratio;
  return ratio > 1 ? fmt::format("from an idle clock: {} of a busy GPU's", factor(ratio)) : "";
}

/// "heuristic", "picks a kernel of 22.63 us; cudnn.benchmark = True saves 2.726 us"
void add_tuning(List& list, const LayerResult& row) {
  const double own_s = row.kernel->expected_time_s();
  const double more_s = row.other_tuning_s.value_or(own_s) - own_s;
  // Nothing where the host takes longer than either kernel.
  if (std::fabs(more_s) < 0.005 * own_s) return;
  const bool by_heuristic = row.layer.kernels == KernelSource::heuristic;
  add(list, by_heuristic ? "autotuned" : "heuristic",
      "{} a kernel of {}; cudnn.benchmark = True saves {}", by_heuristic ? "runs" : "picks",
      duration(*row.other_tuning_s), duration(by_heuristic ? -more_s : more_s));
}

/// Times of two releases that differ by less are one to a reader.
constexpr double clearly_other = 1.5;

bool are_near(double a_s, double b_s) {
  return a_s < clearly_other * b_s && b_s < clearly_other * a_s;
}

/// Where a measured time is another release's.
void add_measured_release(List& list, const LayerResult& row) {
  if (!row.measured_time_s) return;
  const auto& [used, other, time_s, algorithm] = *row.other_release;
  if (!are_near(*row.measured_time_s, time_s) ||
      are_near(*row.measured_time_s, row.kernel->expected_time_s()))
    return;
  add(list, "", "your time is what {} takes {} {}", name_of(algorithm),
      other.is_older ? "before" : "from",
      LibraryRelease{other.library.library, other.change}.text());
}

/// "release", "by MIOpen 7.1; before 7.1: x15.2 slower, 7.06 ms by gemm"
void add_other_release(List& list, const LayerResult& row) {
  if (!row.kernel || !row.other_release) return;
  const auto& [used, other, time_s, algorithm] = *row.other_release;
  const double ratio = time_s / row.kernel->expected_time_s();
  if (are_near(time_s, row.kernel->expected_time_s()))
    return add(list, "release", "by {}", used.text());
  add(list, "release", "by {}; {} {}: {} {}, {} by {}", used.text(),
      other.is_older ? "before" : "from", other.change.text(),
      ratio_text(std::max(ratio, 1 / ratio)), ratio > 1 ? "slower" : "faster", duration(time_s),
      name_of(algorithm));
  add_measured_release(list, row);
}

/// " (cuDNN 9.19)" beside convolutions, whose kernels the library has.
std::string library_text(const Explanation& explanation, const LayerResult& row) {
  const bool is_convolution = has_window(row.layer.kind) &&
                              info(row.layer.kind).family == KindFamily::contraction &&
                              row.layer.mapping == KernelMapping{};
  return is_convolution ? " (" + explanation.library.text() + ')' : "";
}

/// "chosen by", "row 42 of roofline kernels: each_group, ..."
void add_chosen_row(List& list, const Explanation& explanation) {
  constexpr std::size_t widest = 87;
  for (const DerivationStep& step : explanation.steps)
    if (step.quantity == chosen_row && !step.origins.empty())
      return list.add(
          "chosen by",
          broken(fmt::format("row {:g} of {}", step.value, step.origins.front()), widest));
}

/// "471.3 us if what fits stays in cache (6.291 MB)"
std::string cached_text(double bound_s, const Bounds& bounds) {
  return fmt::format("{} if what fits stays in cache ({})", duration(bound_s),
                     si(*bounds.cache_byte, "B"));
}

/// Exception to a bound of convolutions; `is_expected`: the expected time is below the bound.
std::string unless_text(bool has_convolutions, bool is_expected) {
  if (!has_convolutions) return "";
  return std::string(", unless Winograd or FFT save MACs") +
         (is_expected ? ", as expected here" : "");
}

/// Where the kernel does not compute on the bound's engine: both peaks, and why, where the lower
/// one alone takes longer than the roofline.
void add_engines(List& list, const LayerResult& row, const EngineRates& peaks) {
  const Engine own = row.kernel->engine;
  if (own == row.engine) return;
  const bool leaves_tensor_cores = is_tensor_engine(row.engine) && !is_tensor_engine(own);
  const auto peak = [&](Engine engine) {
    return fmt::format("{} {}", name_of(engine), si(*rate_of(peaks, engine), "FLOP/s"));
  };
  const double own_s = static_cast<double>(row.counts.flops) / *rate_of(peaks, own);
  const bool makes_the_gap =
      own_s > row.point.roofline_time_s && row.layer.mapping == KernelMapping{};
  add(list, "", "on {}{}",
      leaves_tensor_cores ? std::string("vector units") : std::string(name_of(own)),
      makes_the_gap ? ": the library has no better kernel" : "");
  add(list, "", "peaks: {} of the kernel, {} of the roofline", peak(own), peak(row.engine));
}

List landing_list(const LayerResult& row, const Bounds& bounds) {
  const double expected = row.kernel->expected_time_s();
  const double times = expected / row.point.roofline_time_s;
  const auto flops = static_cast<double>(row.counts.flops);
  List list;
  if (row.counts.flops > 0)
    add(list, "rate", "FLOP / expected = {} / {} = {}", si(flops, "FLOP"), duration(expected),
        si(flops / expected, "FLOP/s"));
  add(list, "gap", "expected / roofline = {} / {} = {}{}", duration(expected),
      duration(row.point.roofline_time_s), factor(times),
      times < 1 ? ": operands in L2, or fewer MACs" : "");
  add_engines(list, row, bounds.ceilings->peak_flop_per_s);
  if (const auto bound_s = cached_bound_s(row, bounds))
    add(list, "least", "{}{}", cached_text(*bound_s, bounds),
        unless_text(row.layer.kind == LayerKind::conv, time_s(row) < *bound_s));
  return list;
}

/// ", 8.256 TFLOP/s: 52.6% of the peak", or of the bandwidth, by what bounds the layer.
std::string rate_text(const LayerResult& row, double time_s) {
  const bool is_compute = row.point.bound == Bound::compute;
  if (row.counts.is_upper_estimate || row.counts.bytes.total == 0) return "";
  const auto amount = static_cast<double>(is_compute ? row.counts.flops : row.counts.bytes.total);
  return fmt::format(", {}: {} of the {}", si(amount / time_s, is_compute ? "FLOP/s" : "B/s"),
                     share_or_ratio(row.point.roofline_time_s / time_s),
                     is_compute ? "peak" : "bandwidth");
}

/// In elements: of the operands, the weights and the result.
std::uint64_t largest_tensor(const LayerResult& row) {
  std::uint64_t largest = std::max(elements(row.layer.output), row.counts.params);
  for (const Operand& operand : row.layer.inputs)
    largest = std::max(largest, elements(operand.shape));
  return largest;
}

void add_own(List& list, const LayerResult& row) {
  const double time_s = *row.measured_time_s;
  const double share_of_peak = row.point.compute_time_s / time_s;
  const double share_of_bandwidth = row.point.memory_time_s / time_s;
  std::string text = duration(time_s) + rate_text(row, time_s);
  if (row.point.bound == Bound::compute)
    text += fmt::format(", {} of the bandwidth", share_or_ratio(share_of_bandwidth));
  else if (row.counts.flops > 0)
    text += fmt::format(", {} of the peak", share_or_ratio(share_of_peak));
  list.add("yours", std::move(text));
  if (row.kernel)
    add(list, "", "{} the time of {}", ratio_text(time_s / row.kernel->expected_time_s()),
        row.layer.mapping == KernelMapping{} ? "a library's kernel" : "such a kernel by the model");
  std::string_view term = "next";
  for (std::string& step : next_steps(row)) list.add(std::exchange(term, ""), std::move(step));
}

List kernel_list(const Explanation& explanation, const LayerResult& row) {
  List list;
  add(list, "mapping", "{}{}", mapping_text(*row.kernel), lacking_text(row));
  if (saves_macs(row.kernel->algorithm)) list.add("", "fewer MACs than counted above");
  add_chosen_row(list, explanation);
  add_other_release(list, row);
  add_vector_units(list, explanation, row);
  add_tiles(list, explanation, *row.kernel);
  add_waves(list, *row.kernel);
  add_stream(list, *row.kernel);
  add_traffic(list, row);
  return list;
}

Grid advice_grid(std::string title, const std::vector<Advice>& all) {
  Grid grid{{left(std::move(title)), right("expected"), right("speed-up")}};
  for (const Advice& each : all)
    grid.add_row({each.text, each.time_s ? duration(*each.time_s) : "the same",
                  each.time_s ? ratio_text(each.speedup) : ""});
  return grid;
}

/// "  [1, 3]": numbers of the notes with the sources of a step's constants.
std::string note_marks(const DerivationStep& step, std::vector<std::string>& notes) {
  std::vector<std::ptrdiff_t> marks;
  for (const std::string& origin : step.origins) {
    const auto found = std::ranges::find(notes, origin);
    marks.push_back(found - notes.begin() + 1);
    if (found == notes.end()) notes.push_back(origin);
  }
  return marks.empty() ? "" : fmt::format("  [{}]", fmt::join(marks, ", "));
}

std::string derivation_text(const std::vector<DerivationStep>& steps) {
  constexpr std::size_t widest = 100;
  constexpr std::size_t quantity_width = 36;
  std::string text;
  std::vector<std::string> notes;
  for (const DerivationStep& step : steps) {
    const std::string value = calculator_text(step.value);
    // An expression equal to its value is left out.
    const std::string expression = step.expression == value ? "" : step.expression;
    const std::string result = (expression.empty() ? "" : "= ") + value +
                               (step.unit.empty() ? "" : " " + step.unit) + note_marks(step, notes);
    std::string begin = fmt::format("  {:<{}} {}", step.quantity, quantity_width, expression);
    begin.erase(begin.find_last_not_of(' ') + 1);
    const std::size_t at = std::max(begin.size() + 1, quantity_width + 3);
    if (at + result.size() <= widest)
      text += fmt::format("{:<{}}{}\n", begin, at, result);
    else
      text += fmt::format("{}\n{:<{}}{}\n", begin, "", quantity_width + 3, result);
  }
  for (std::size_t i = 0; i < notes.size(); ++i)
    text += fmt::format("  [{}] {}\n", i + 1, notes[i]);
  return text;
}

/// "68 of 100 times within x1.16, 95 within x1.42; 20.56 TFLOP/s, 16.4% of the peak"
std::string rate_sentence(const Result& result) {
  const double time_s = result.total.time_s;
  if (time_s <= 0) return "";
  const double flop_per_s = static_cast<double>(result.total.flops) / time_s;
  const double peak = *rate_of(result.bounds.ceilings->peak_flop_per_s, result.bounds.main_engine);
  return fmt::format("{}; {}, {} of the peak", odds_text(result.total.expected_uncertainty),
                     si(flop_per_s, "FLOP/s"), share_or_ratio(flop_per_s / peak));
}

Table main_layers_table(const NetworkExplanation& explanation, const Result& result) {
  const bool measured = result.total.measured_time_s.has_value();
  Grid grid{{left("layers that matter"), right("FLOP", 2), right("bytes", 1),
             right(measured ? "measured" : "expected"), right("share"), left("limiter")}};
  double rest_s = measured ? *result.total.measured_time_s : result.total.time_s;
  const double whole_s = rest_s;
  std::size_t rest = result.layers.size();
  for (const MainLayer& each : explanation.layers) {
    const TableRow row{result, each.rows};
    double flop = 0;
    double byte = 0;
    for (const std::size_t i : each.rows) {
      flop += static_cast<double>(result.layers[i].counts.flops);
      byte += static_cast<double>(result.layers[i].counts.bytes.total);
    }
    const auto& kernel = row.first().kernel;
    grid.add_row({short_name(label_of(row), widest_name) + suffix_of(row), si(flop, ""),
                  si(byte, "B"), duration(each.time_s), percent(each.share),
                  kernel ? words(kernel->limiter()) : ""});
    rest_s -= each.time_s;
    rest -= each.rows.size();
  }
  if (rest > 0)
    grid.add_row({fmt::format("{} others", rest), "", "", duration(std::max(0.0, rest_s)),
                  percent(share_of(std::max(0.0, rest_s), whole_s)), ""});
  return {std::move(grid), unbroken, sentence_width};
}

/// "-3.7%"; "0.0%" for less than one digit.
std::string signed_percent(double share) {
  constexpr double least = 0.0005;
  if (std::fabs(share) < least) return percent(0);
  return (share > 0 ? "+" : "") + percent(share);
}

/// A tenth more of something gains at most a tenth of all, unless kernels change tiles or waves.
bool jumps(const Sensitivity& each) {
  constexpr double least = -0.005;
  constexpr double most = 1 - 1 / 1.1 + 0.0005;
  return each.saved_share < least || each.saved_share > most;
}

Grid sensitivity_grid(const NetworkExplanation& explanation) {
  Grid grid{{left("10% more")}};
  std::vector<std::string> saved{"time"};
  for (const Sensitivity& each : explanation.sensitivity) {
    grid.columns.push_back({each.what == "sms" ? "SMs" : each.what == "l2" ? "L2" : each.what});
    saved.push_back(jumps(each) ? "jumps" : signed_percent(-each.saved_share));
  }
  grid.add_row(saved);
  return grid;
}

}  // namespace

void add_explanation(Document& document, const Explanation& explanation, const Result& result,
                     bool is_whole) {
  const LayerResult& row = result.layers[explanation.row];
  const Layer& layer = row.layer;
  document.add_heading(fmt::format(
      "{} of {}: {} {} in {} on {}", printable(layer.name), printable(result.setting.network),
      info(layer.kind).name, name_of(layer.pass), name_of(layer.dtypes.input), result.setting.gpu));
  document.add_gap();
  if (!row.fused_into->empty())
    return document.add_line(
        fmt::format("fused into {}: no kernel of its own", printable(*row.fused_into)));
  const auto begin = [&](std::string title) {
    document.add_gap();
    document.add_heading(std::move(title));
  };
  begin("1. How much work is it? Each operand is read once, each result written once.");
  document.add_list(work_list(row));
  if (result.layers.size() == 1)
    for (const std::string& memory : {memory_sentence(result), fit_sentence(result)})
      if (!memory.empty()) document.add_line("  " + memory);
  begin("2. What bounds it? (roofline)");
  document.add_list(roofline_list(row, *result.bounds.ceilings));
  if (!row.kernel) return;
  begin("3. How does a kernel do it?" + library_text(explanation, row));
  document.add_list(kernel_list(explanation, row));
  begin("4. How long does that take? (expected time)");
  document.add_table({parts_grid("part of the time", row.kernel->part_s,
                                 row.kernel->expected_time_s(), "expected")});
  document.add_line("  " + odds_text(row.expected_uncertainty) +
                    (row.expected_uncertainty
                         ? fmt::format(": {}", meaning_of(row.expected_uncertainty->basis))
                         : ""));
  if (row.kernel->idle_ratio > 1) document.add_line("  " + idle_text(row));
  List tuning;
  add_tuning(tuning, row);
  document.add_list(std::move(tuning));
  begin("5. Where does it land?");
  document.add_list(landing_list(row, result.bounds));
  if (row.measured_time_s && !result.measured.recording) {
    begin("6. Where is the kernel that took " + duration(*row.measured_time_s) + "?");
    List own;
    add_own(own, row);
    document.add_list(std::move(own));
  }
  document.add_gap();
  document.add_table({advice_grid("what would help", explanation.advice)});
  if (explanation.steps.empty()) return;
  document.add_gap();
  if (!is_whole)
    return document.add_line(
        "--top all derives the expected time number by number; -o FILE.svg draws the layer.");
  document.add_heading("derivation of the expected time, in base units");
  document.add_block(derivation_text(explanation.steps));
}

List layer_list(const Result& result) {
  const LayerResult& row = result.layers.front();
  const RooflinePoint& point = row.point;
  const Counts& counts = row.counts;
  const CeilingKind ceilings = result.bounds.ceilings->kind;
  std::string work = counts.flops > 0 ? si(counts.flops, "FLOP") : "no FLOP";
  if (counts.macs > 0) work += fmt::format(" ({} MACs)", si(counts.macs, ""));
  work += (counts.is_upper_estimate ? ", at most " : ", ") + si(counts.bytes.total, "B");
  if (counts.flops > 0 && point.intensity_flop_per_byte)
    work += fmt::format(": {} FLOP/B; ridge at {}", plain(*point.intensity_flop_per_byte),
                        plain(point.ridge_flop_per_byte));
  List list;
  if (row.measured_time_s) add_own(list, row);
  list.add("work", std::move(work));
  if (point.roofline_time_s > 0)
    add(list, "roofline", "{}: {}{}", duration(point.roofline_time_s),
        counts.is_upper_estimate                 ? "no bound, as it may touch fewer bytes"
        : row.layer.kind == LayerKind::host_copy ? "bound by the host link"
        : point.bound == Bound::compute
            ? fmt::format("bound by compute, {}", si(point.attainable_flop_per_s, "FLOP/s"))
            : fmt::format("bound by memory, {}",
                          si(result.bounds.ceilings->bandwidth_byte_per_s, "B/s")),
        ceilings == CeilingKind::datasheet ? "" : fmt::format(" ({})", name_of(ceilings)));
  if (!row.fused_into->empty()) {
    add(list, "fused", "into {}: no kernel of its own", printable(*row.fused_into));
    return list;
  }
  if (!row.kernel) return list;
  const double time_s = row.kernel->expected_time_s();
  const std::string idle = idle_text(row);
  const bool by_library = row.layer.mapping == KernelMapping{} && row.kernel->in_library;
  add(list, by_library ? "library" : "mapping", "{}{}{}{}{}",
      range_text(time_s, row.expected_uncertainty), rate_text(row, time_s),
      is_below_roofline(row) ? "; operands in L2, or fewer MACs" : "",
      idle.empty() ? "" : "; " + idle, lacking_text(row));
  add_other_release(list, row);
  return list;
}

std::string memory_sentence(const Result& result) {
  const auto needed = needed_memory_byte(result);
  if (!needed) return "";
  const Memory& memory = *result.memory;
  std::string text =
      result.setting.training
          ? fmt::format("memory: weights and their gradients {}, kept activations {}",
                        si(2 * memory.training_weight_byte, "B"),
                        si(memory.saved_activation_byte, "B"))
          : fmt::format("memory: weights {},{} activations {} at most (in {})",
                        si(memory.weight_byte, "B"),
                        memory.input_byte > 0 ? " inputs " + si(memory.input_byte, "B") + "," : "",
                        si(memory.peak_activation_byte, "B"),
                        short_name(printable(memory.peak_layer), widest_name));
  if (result.setting.training && memory.optimizer_state_byte > 0)
    text += ", optimizer " + si(memory.optimizer_state_byte, "B");
  if (memory.workspace_byte > 0) text += ", workspace " + si(memory.workspace_byte, "B");
  return text;
}

std::string fit_sentence(const Result& result) {
  if (fits(result).value_or(true)) return "";
  return fmt::format("DOES NOT FIT: {} needed beside {} of driver and libraries, the GPU has {}",
                     si(*needed_memory_byte(result), "B"),
                     si(result.setting.reserved_memory_byte, "B"),
                     si(*result.setting.gpu_memory_byte, "B"));
}

std::string part_text(Limiter part) { return fmt::format("{}: {}", words(part), meaning_of(part)); }

namespace {

/// Times of a step under named stacks; empty unless asked for.
std::string steps_sentence(const Result& result) {
  std::string text;
  for (const StackStep& step : result.steps) {
    text += fmt::format("{}{} {}", text.empty() ? "a step: " : ", ", info(step.framework).product,
                        duration(step.time_s));
    if (step.framework != Framework::pytorch) continue;
    text += fmt::format(" (its kernels {}", duration(step.kernels_s));
    if (step.layout) text += fmt::format(", {}", name_of(*step.layout));
    text += ')';
  }
  return text;
}

}  // namespace

void add_time(Document& document, const Result& result) {
  const double time_s = result.total.time_s;
  if (!result.total.expected_time_s || time_s <= 0) return;
  const auto& uncertainty = result.total.expected_uncertainty;
  std::string text = "expected " + range_text(time_s, uncertainty);
  if (uncertainty) text += fmt::format(", {}", meaning_of(uncertainty->basis));
  // A rate is of software that runs the network.
  const auto& tokens = result.setting.tokens;
  const auto& pieces = tokens ? tokens : result.setting.batch;
  if (pieces && !result.measured.recording && !runs_kernels_alone(result) &&
      fits(result).value_or(true))
    text += fmt::format("; {} {}/s", plain(static_cast<double>(*pieces) / time_s),
                        tokens ? "tokens" : "images");
  document.add_sentence(std::move(text));
  document.add_sentence(steps_sentence(result));
}

std::string network_bounds_sentence(const Result& result) {
  const auto& bounds = result.bounds.network;
  if (!bounds || !bounds->cached_bound_s) return "";
  const bool has_convolutions = std::ranges::any_of(
      result.layers, [](const LayerResult& row) { return row.layer.kind == LayerKind::conv; });
  std::string text = "no run is faster than " + cached_text(*bounds->cached_bound_s, result.bounds);
  std::string last = duration(*bounds->cached_bound_s);  // equal bounds are said once
  const auto add = [&](double bound_s, std::string_view where) {
    if (const std::string bound = duration(bound_s); std::exchange(last, bound) != bound)
      text += fmt::format(", {} {}", bound, where);
  };
  add(*bounds->fused_bound_s, "with all layers fused");
  add(bounds->compute_bound_s, "by arithmetic alone");
  text += unless_text(has_convolutions, bounds->expected_below == BelowBound::fewer_macs) + '.';
  if (bounds->expected_below == BelowBound::in_l2)
    text +=
        " Expected is less: it finds each layer's weights in cache, where all do not fit; see "
        "--assume cache=cold.";
  return text;
}

bool falls_to_vector_units(const LayerResult& row) {
  return row.kernel && row.layer.groups > 1 && is_for_tensor_cores(row) &&
         !is_tensor_engine(row.kernel->engine);
}

std::string vector_units_sentence(const Result& result) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> kinds;
  double time_s = 0;
  for (const LayerResult& row : result.layers) {
    if (!falls_to_vector_units(row)) continue;
    const double own_s = row.kernel->expected_time_s();
    if (row.kernel->part_s[Limiter::math] + row.kernel->part_s[Limiter::tile_padding] < own_s / 2)
      continue;
    time_s += own_s;
    add_new(kinds, missing_kernel(row.layer));
  }
  if (share_of(time_s, result.total.time_s) < least_said_share) return "";
  return fmt::format(
      "{} of the time on vector units, as the library has no tensor-core kernel for {}",
      percent(share_of(time_s, result.total.time_s)), some_of(kinds, most_named));
}

std::string large_tensors_sentence(const Result& result) {
  constexpr std::uint64_t least = std::uint64_t{1} << 31;
  const auto is_large = [](const LayerResult& row) {
    return row.kernel && row.layer.mapping == KernelMapping{} && largest_tensor(row) >= least;
  };
  const auto layers = std::ranges::count_if(result.layers, is_large);
  if (layers == 0) return "";
  const LayerResult& first = *std::ranges::find_if(result.layers, is_large);
  return fmt::format(
      "{}{}: libraries split tensors of 2^31 elements or fall back to slower kernels",
      short_name(printable(first.layer.name), widest_name),
      layers > 1 ? fmt::format(" and {} more", layers - 1) : "");
}

void add_explanation(Document& document, const NetworkExplanation& explanation,
                     const Result& result) {
  add_verdict(document, result);
  add_time(document, result);
  document.add_sentence(rate_sentence(result));
  add_ceilings(document, result);
  document.add_sentence(memory_sentence(result));
  document.add_sentence(network_bounds_sentence(result));
  const auto add = [&](Table table) {
    document.add_gap();
    document.add_table(std::move(table));
  };
  const auto& verdict = result.measured.verdict;
  add({verdict ? step_grid(*verdict)
               : parts_grid("where the time goes", result.total.part_s, result.total.time_s)});
  add(main_layers_table(explanation, result));
  if (result.measured.recording) add({accuracy_grid(result)});
  add({advice_grid("what would help, for the same work", explanation.changes)});
  if (explanation.sensitivity.empty()) return;
  add({sensitivity_grid(explanation)});
  document.add_line("Peaks follow SMs and clock. launch, what starts kernels, is 10% less.");
  if (std::ranges::any_of(explanation.sensitivity, jumps))
    document.add_line(
        "jumps: kernels change tiles or waves, and a little more or less may undo it.");
}

}  // namespace roofline
