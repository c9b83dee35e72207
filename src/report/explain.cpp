// --explain: the derivation of a layer's numbers, or one screen on a network's time.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "report/rows.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

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

/// "  intensity  FLOP / bytes = ..."
template <class... Args>
std::string line(std::string_view name, fmt::format_string<Args...> form, Args&&... args) {
  return fmt::format("  {:<10} {}\n", name, fmt::format(form, std::forward<Args>(args)...));
}

std::string formula(std::string_view name, std::string text) {
  constexpr std::size_t widest = 67;
  const std::size_t numbers = text.find(" = ");
  if (text.size() > widest && numbers != text.npos)
    text.replace(numbers, 1, "\n" + std::string(13, ' '));
  return line(name, "{}", text);
}

/// What the line of bytes above leaves out or overestimates.
std::string bytes_note(const LayerResult& row) {
  const Layer& layer = row.layer;
  if (row.counts.is_upper_estimate)
    return line("", "at most: the layer may touch fewer, so that no bound follows");
  const auto input_byte = [&](std::uint64_t elements) {
    return si(stored_byte(elements, layer.dtypes.input), "B");
  };
  const std::uint64_t whole = elements(layer.inputs.front().shape);
  const std::uint64_t read = elements_read(layer, 0);
  if (read == whole || layer.pass == Pass::dgrad) return "";
  return line("", "read of the input: {} of {}, what the result is made of", input_byte(read),
              input_byte(whole));
}

std::string work_text(const LayerResult& row) {
  const Layer& layer = row.layer;
  const Counts& counts = row.counts;
  std::string inputs;
  for (const Operand& operand : layer.inputs)
    inputs += (inputs.empty() ? "" : " and ") + shape_text(operand.shape);
  std::string text = line("sizes", "{} -> {}{}", inputs, shape_text(layer.output),
                          has_window(layer.kind) ? window_text(layer) : "");
  if (counts.macs > 0)
    text += formula("MACs", macs_text(layer, counts)) + line("FLOP", "2 x MACs = {}", counts.flops);
  else
    text += line("FLOP", "{} an element = {}", info(layer.kind).flop_per_element, counts.flops);
  return text +
         line("bytes", "input {} + weight {} + output {} = {}", si(counts.bytes.input, "B"),
              si(counts.bytes.weight, "B"), si(counts.bytes.output, "B"),
              si(counts.bytes.total, "B")) +
         bytes_note(row);
}

std::string roofline_text(const LayerResult& row, const Ceilings& ceilings) {
  const RooflinePoint& point = row.point;
  const std::string rate = si(*rate_of(ceilings.peak_flop_per_s, row.engine), "FLOP/s");
  const std::string bandwidth = si(ceilings.bandwidth_byte_per_s, "B/s");
  const std::string flops = si(row.counts.flops, "FLOP");
  const std::string moved = si(row.counts.bytes.total, "B");
  const std::string ridge = plain(point.ridge_flop_per_byte);
  const auto intensity = point.intensity_flop_per_byte;
  std::string text;
  if (intensity)
    text +=
        line("intensity", "FLOP / bytes = {} / {} = {} FLOP/B", flops, moved, plain(*intensity));
  text += line("ridge", "peak / bandwidth = {} ({}) / {} = {} FLOP/B", rate, name_of(row.engine),
               bandwidth, ridge);
  if (intensity && point.bound == Bound::compute)
    text += line("bound", "{} is not below the ridge: compute, the arithmetic takes longer",
                 plain(*intensity));
  else if (intensity)
    text += line("bound", "{} is below the ridge: memory, moving the bytes takes longer",
                 plain(*intensity));
  return text +
         line("compute", "FLOP / peak = {} / {} = {}", flops, rate,
              duration(point.compute_time_s)) +
         line("memory", "bytes / bandwidth = {} / {} = {}", moved, bandwidth,
              duration(point.memory_time_s)) +
         line("roofline", "the longer of the two: {}", duration(point.roofline_time_s));
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
  const char* gap = text.size() > 75 ? ",\n             " : ", ";  // lines of 100 columns
  if (kernel.kernels > 1) text += fmt::format("{}{} kernels", gap, kernel.kernels);
  return text;
}

std::string saved_macs_text(const KernelPlan& kernel) {
  if (!saves_macs(kernel.algorithm)) return "";
  const bool is_fft = name_of(kernel.algorithm).starts_with("fft");
  return line("", "{}: fewer MACs than counted above",
              is_fft ? "FFT multiplies spectra" : "Winograd multiplies transformed tiles");
}

/// Of a convolution for tensor cores, on which the library has nothing as fast for it.
std::string vector_units_text(const Explanation& explanation, const LayerResult& row) {
  using enum Algorithm;
  constexpr std::array on_vector_units{grouped_direct_nhwc, grouped_direct_nchw,
                                       group_by_group_nchw, group_by_group_small_nchw,
                                       group_by_group_winograd};
  const bool for_tensor_cores =
      row.engine == Engine::tf32 || row.engine == Engine::fp16_tensor || row.engine == Engine::bf16;
  const bool widened = std::ranges::any_of(explanation.steps, [](const DerivationStep& step) {
    return step.quantity == "bits of an element" && step.value == 32;
  });
  const Layer& layer = row.layer;
  if (!for_tensor_cores || (!widened && std::ranges::find(on_vector_units, row.kernel->algorithm) ==
                                            on_vector_units.end()))
    return "";
  const auto channels = layer.inputs.front().shape.channels / layer.groups;
  return line("", "on vector units: the library has no tensor-core kernel as fast for this:") +
         line("", "{}{} channel{} in {}, {}", layer.groups > 1 ? "groups of " : "", channels,
              channels == 1 ? "" : "s", name_of(layer.dtypes.input),
              layout_of(layer) == Layout::nchw ? "NCHW" : "NHWC");
}

/// "ceil(65536 / 64) x ceil(64 / 64) = 1024 blocks", from the derivation.
std::string blocks_text(const Explanation& explanation, const KernelPlan& kernel) {
  for (const DerivationStep& step : explanation.steps)
    if (step.quantity == "blocks" && !step.expression.empty())
      return fmt::format("{} = {} blocks", step.expression, kernel.blocks);
  return fmt::format("{} blocks", kernel.blocks);
}

std::string tiles_text(const Explanation& explanation, const KernelPlan& kernel) {
  if (kernel.tile[0] == 0) return "";
  return line("tiles", "{}: {}", fmt::join(kernel.tile, "x"), blocks_text(explanation, kernel)) +
         line("", "{:.0f}% of the arithmetic issued is useful", 100 * kernel.tile_utilization);
}

std::string waves_text(const KernelPlan& kernel) {
  if (kernel.blocks == 0 || kernel.resident_blocks_per_sm == 0 || !(kernel.waves > 0)) return "";
  const double at_once = static_cast<double>(kernel.blocks) / kernel.waves;
  const double sms = at_once / static_cast<double>(kernel.resident_blocks_per_sm);
  return line("waves", "{} blocks / ({:.0f} SMs x {} resident) = {}", kernel.blocks, sms,
              kernel.resident_blocks_per_sm, plain(kernel.waves)) +
         line("", "SMs {:.0f}% busy, occupancy {:.0f}%", 100 * kernel.wave_utilization,
              100 * kernel.occupancy);
}

/// Kernels without tiles: their blocks, and the memory rate that their bytes in flight allow.
std::string stream_text(const KernelPlan& kernel) {
  std::string text;
  if (kernel.resident_blocks_per_sm == 0 && kernel.blocks > 0 && kernel.waves > 0)
    text += line("blocks", "{} for {:.0f} SMs", kernel.blocks,
                 static_cast<double>(kernel.blocks) / kernel.waves);
  if (kernel.in_flight_byte_per_s && kernel.part_s[Limiter::in_flight] > 0)
    text += line("in flight", "bytes enough for {}", si(*kernel.in_flight_byte_per_s, "B/s"));
  return text;
}

std::string traffic_text(const LayerResult& row) {
  const KernelPlan& kernel = *row.kernel;
  const auto flops = static_cast<double>(row.counts.flops);
  const auto intensity = [&](double moved) {
    return moved > 0 && flops > 0 ? fmt::format(": {} FLOP/B", plain(flops / moved)) : "";
  };
  return line("traffic", "at L2 {}{}", si(kernel.l2_byte, "B"), intensity(kernel.l2_byte)) +
         line("", "at DRAM {} read, {} written{}", si(kernel.dram_read_byte, "B"),
              si(kernel.dram_write_byte, "B"),
              intensity(kernel.dram_read_byte + kernel.dram_write_byte));
}

std::string parts_table(const LayerResult& row) {
  const KernelPlan& kernel = *row.kernel;
  std::string text;
  const auto add = [&](const std::string& name, double seconds, std::string_view meaning) {
    text += fmt::format("  {:<12} {:>9} {:>6}  {}\n", name, duration(seconds),
                        percent(share_of(seconds, kernel.expected_time_s())), meaning);
  };
  for (const Limiter limiter : enumerators<Limiter>)
    if (kernel.part_s[limiter] > 0)
      add(words(limiter), kernel.part_s[limiter], meaning_of(limiter));
  add("expected", kernel.expected_time_s(), "the sum; most of it: " + words(kernel.limiter()));
  if (const auto& measured_s = row.measured_time_s)
    text += fmt::format("  {:<12} {:>9} {:>6}  of the expected time\n", "measured",
                        duration(*measured_s), ratio_text(*measured_s / kernel.expected_time_s()));
  if (const auto& uncertainty = row.expected_uncertainty) {
    const auto add_range = [&](double range, int share_percent) {
      text += fmt::format("  {:<12} {:>9} {:>5}%  of such kernels, {}\n", "within", factor(range),
                          share_percent, meaning_of(uncertainty->basis));
    };
    add_range(uncertainty->factor, 68);
    add_range(uncertainty->factor_95, 95);
  }
  return text;
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

/// A bound on every kernel of the layer; empty if unknown.
std::string layer_bound_text(const LayerResult& row, const Bounds& bounds) {
  const std::optional<double> bound_s = cached_bound_s(row, bounds);
  if (!bound_s || !row.kernel) return "";
  return cached_text(*bound_s, bounds) +
         unless_text(row.layer.kind == LayerKind::conv, time_s(row) < *bound_s);
}

std::string landing_text(const LayerResult& row, const Bounds& bounds) {
  const double expected = row.kernel->expected_time_s();
  const double times = expected / row.point.roofline_time_s;
  const auto flops = static_cast<double>(row.counts.flops);
  std::string text;
  if (row.counts.flops > 0)
    text = line("rate", "FLOP / expected = {} / {} = {}", si(flops, "FLOP"), duration(expected),
                si(flops / expected, "FLOP/s"));
  text += line("gap", "expected / roofline = {} / {} = {}{}", duration(expected),
               duration(row.point.roofline_time_s), factor(times),
               times < 1 ? ": operands in L2, or fewer MACs" : "");
  if (const std::string bound = layer_bound_text(row, bounds); !bound.empty())
    text += line("least", "{}", bound);
  return text;
}

/// A stated kernel is the measured one: it needs no library's kernel beside it.
std::string own_text(const LayerResult& row, const Ceilings& ceilings) {
  const double time_s = *row.measured_time_s;
  const bool is_stated = row.layer.mapping != KernelMapping{};
  const auto flop = static_cast<double>(row.counts.flops);
  const auto byte = static_cast<double>(row.counts.bytes.total);
  std::string text;
  if (flop > 0)
    text += line("compute", "{} / {} = {}: {} of the peak", si(flop, "FLOP"), duration(time_s),
                 si(flop / time_s, "FLOP/s"), share_or_ratio(row.point.compute_time_s / time_s));
  if (row.below_bound == BelowBound::fewer_bytes)
    text += line("memory", "it touched fewer than the {} that are counted", si(byte, "B"));
  else
    text +=
        line("memory", "{} / {} = {}: {} of the bandwidth of {}", si(byte, "B"), duration(time_s),
             si(byte / time_s, "B/s"), share_or_ratio(row.point.memory_time_s / time_s),
             si(ceilings.bandwidth_byte_per_s, "B/s")) +
        line("gap", "measured / roofline = {} / {} = {}", duration(time_s),
             duration(row.point.roofline_time_s), factor(time_s / row.point.roofline_time_s));
  const KernelPlan& kernel = *row.kernel;
  const std::string most =
      fmt::format("{}, {} of it", meaning_of(kernel.limiter()), percent(kernel.limiter_share()));
  if (is_stated)
    return text + line("model", "{} of such a kernel: mostly {}",
                       duration(kernel.expected_time_s()), most);
  return text +
         line("library", "its kernel would take {}: mostly {}", duration(kernel.expected_time_s()),
              most) +
         "  --tile, --threads, --registers and --shared-memory-byte say how yours works;\n"
         "  then steps 3 and 4 are of yours.\n";
}

std::string advice_text(const std::vector<Advice>& all) {
  std::string text;
  for (const Advice& advice : all)
    text += advice.time_s ? fmt::format("  {:<52} {}, x{:.2f} faster\n", advice.text,
                                        duration(*advice.time_s), advice.speedup)
                          : fmt::format("  {:<52} next to nothing\n", advice.text);
  return text;
}

/// Six significant digits, as in the expressions; whole numbers in full.
std::string digits_of(double value) {
  const bool whole = value < 1e15 && value == static_cast<double>(static_cast<long long>(value));
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
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
  constexpr std::size_t widest = 100, quantity_width = 36;
  std::string text;
  std::vector<std::string> notes;
  for (const DerivationStep& step : steps) {
    const std::string value = digits_of(step.value);
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

}  // namespace

std::string explanation_text(const Explanation& explanation, const Result& result,
                             ExplanationLength length) {
  const LayerResult& row = result.layers[explanation.row];
  const Layer& layer = row.layer;
  std::string text = fmt::format(
      "{} of {}: {} {} in {} on {}\n", printable(layer.name), printable(result.setting.network),
      info(layer.kind).name, name_of(layer.pass), name_of(layer.dtypes.input), result.setting.gpu);
  if (!row.fused_into->empty())
    return text +
           fmt::format("\nfused into {}: no kernel of its own\n", printable(*row.fused_into));
  text += "\n1. How much work is it? Each operand is read once, each result written once.\n" +
          work_text(row);
  text += "\n2. What bounds it? (roofline)\n" + roofline_text(row, result.bounds.ceilings);
  if (!row.kernel) return text;
  text += "\n3. How does a kernel do it?\n" + line("mapping", "{}", mapping_text(*row.kernel)) +
          saved_macs_text(*row.kernel) + vector_units_text(explanation, row) +
          tiles_text(explanation, *row.kernel) + waves_text(*row.kernel) +
          stream_text(*row.kernel) + traffic_text(row);
  text += "\n4. How long does that take? (expected time)\n" + parts_table(row);
  text += "\n5. Where does it land?\n" + landing_text(row, result.bounds);
  if (row.measured_time_s && !result.measured.recording)
    text += "\n6. Where is the kernel that took " + duration(*row.measured_time_s) + "?\n" +
            own_text(row, result.bounds.ceilings);
  if (!explanation.advice.empty()) text += "\nwhat would help\n" + advice_text(explanation.advice);
  if (explanation.steps.empty()) return text;
  if (length == ExplanationLength::lecture)
    return text +
           "\n--all derives the expected time number by number; -o FILE.svg draws the layer.\n";
  return text + "\nderivation of the expected time, in base units\n" +
         derivation_text(explanation.steps);
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
  if (!fits(result).value_or(true))
    text +=
        fmt::format("\nDOES NOT FIT: {} needed beside {} of driver and libraries, the GPU has {}",
                    si(*needed, "B"), si(result.setting.reserved_memory_byte, "B"),
                    si(*result.setting.gpu_memory_byte, "B"));
  return text + '\n';
}

std::string network_bounds_sentence(const Result& result, std::optional<std::size_t> width) {
  const auto& bounds = result.bounds.network;
  const std::size_t widest = std::min(width.value_or(sentence_width), sentence_width);
  if (!bounds && result.layers.size() == 1 && !result.measured.recording) {
    const std::string bound = layer_bound_text(result.layers.front(), result.bounds);
    return bound.empty() ? "" : broken("no kernel is faster than " + bound + '.', widest) + '\n';
  }
  if (!bounds || !bounds->cached_bound_s) return "";
  const bool has_convolutions = std::ranges::any_of(
      result.layers, [](const LayerResult& row) { return row.layer.kind == LayerKind::conv; });
  std::string text =
      fmt::format("no run is faster than {}, {} if all layers are fused, {} by arithmetic alone{}.",
                  cached_text(*bounds->cached_bound_s, result.bounds),
                  duration(*bounds->fused_bound_s), duration(bounds->compute_bound_s),
                  unless_text(has_convolutions, bounds->expected_below == BelowBound::fewer_macs));
  if (bounds->expected_below == BelowBound::in_l2)
    text +=
        " Expected is less: it finds each layer's weights in cache, where all do not fit; see "
        "--cache cold.";
  return broken(text, widest) + '\n';
}

namespace {

/// Smaller parts of the time are joined.
constexpr double least_share = 0.01;
constexpr std::size_t screen_width = 80;

/// "3.196 ms expected, 2503 images/s; 20.56 TFLOP/s, 16.4% of the peak"
std::string time_sentence(const Result& result) {
  const double time_s = result.total.time_s;
  std::string text = duration(time_s) + " expected";
  if (result.total.measured_time_s)
    text += ", " + duration(*result.total.measured_time_s) + " measured";
  if (time_s <= 0) return text + '\n';
  if (result.setting.batch && !result.measured.recording)
    text +=
        fmt::format(", {} images/s", plain(static_cast<double>(*result.setting.batch) / time_s));
  const double flop_per_s = static_cast<double>(result.total.flops) / time_s;
  const double peak = *rate_of(result.bounds.ceilings.peak_flop_per_s, result.bounds.main_engine);
  return text + fmt::format("; {}, {} of the peak\n", si(flop_per_s, "FLOP/s"),
                            share_or_ratio(flop_per_s / peak));
}

/// "of 100 such times, 68 are within x1.16 of it, 95 within x1.42: calibrated on this GPU"
std::string uncertainty_sentence(const Result& result) {
  const auto& uncertainty = result.total.expected_uncertainty;
  if (!uncertainty) return "";
  return fmt::format("of 100 such times, 68 are within {} of it, 95 within {}: {}\n",
                     factor(uncertainty->factor), factor(uncertainty->factor_95),
                     meaning_of(uncertainty->basis));
}

/// "its time: dram 41.2% (device memory), ..."; of the expected time, also beside a measured one.
std::string limiters_sentence(const NetworkExplanation& explanation, bool is_measured) {
  std::vector<std::pair<double, std::string>> parts;
  double rest = explanation.other_share;
  for (const Limiter limiter : enumerators<Limiter>) {
    const double share = explanation.limiter_share[limiter];
    if (share < least_share) {
      rest += share;
      continue;
    }
    parts.emplace_back(
        share, fmt::format("{} {} ({})", words(limiter), percent(share), meaning_of(limiter)));
  }
  std::ranges::stable_sort(parts, [](const auto& a, const auto& b) { return a.first > b.first; });
  if (rest >= least_share / 10) parts.emplace_back(rest, "the rest " + percent(rest));
  std::string text;
  for (const auto& [share, part] : parts) text += (text.empty() ? "" : ", ") + part;
  if (text.empty()) return text;
  return broken((is_measured ? "the expected time: " : "its time: ") + text + '\n', sentence_width);
}

Grid main_layers_grid(const NetworkExplanation& explanation, const Result& result,
                      std::optional<std::size_t> width) {
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
  fit(grid, width.value_or(screen_width));
  return grid;
}

Grid network_changes_grid(const NetworkExplanation& explanation) {
  Grid grid{{left("what would help"), right("expected"), right("speed-up")}};
  for (const Advice& each : explanation.changes)
    grid.add_row({each.text, duration(*each.time_s), ratio_text(each.speedup)});
  return grid;
}

std::string thing_text(const std::string& what) {
  return what == "sms" ? "SMs" : what == "l2" ? "L2" : what;
}

/// "-3.7%"; "0.0%" for less than one digit.
std::string signed_percent(double share) {
  constexpr double least = 0.0005;
  if (std::fabs(share) < least) return percent(0);
  return (share > 0 ? "+" : "") + percent(share);
}

Grid sensitivity_grid(const NetworkExplanation& explanation) {
  Grid grid{{left("10% more")}};
  std::vector<std::string> saved{"time"};
  for (const Sensitivity& each : explanation.sensitivity) {
    grid.columns.push_back({thing_text(each.what)});
    saved.push_back(signed_percent(-each.saved_share));
  }
  grid.add_row(saved);
  return grid;
}

}  // namespace

std::string network_explanation_text(const NetworkExplanation& explanation, const Result& result,
                                     const std::string& ceilings, const TableStyle& style) {
  std::string text =
      broken(verdict_sentences(result) + time_sentence(result) + uncertainty_sentence(result) +
                 ceilings + memory_sentence(result) +
                 limiters_sentence(explanation, result.total.measured_time_s.has_value()) +
                 network_bounds_sentence(result, style.width),
             sentence_width);
  text += '\n' + style.render(main_layers_grid(explanation, result, style.width));
  if (!explanation.changes.empty())
    text += '\n' + style.render(network_changes_grid(explanation)) +
            "For as much work, as the model times it.\n";
  if (!explanation.sensitivity.empty())
    text += '\n' + style.render(sensitivity_grid(explanation)) +
            "Peaks follow SMs and clock. launch, what starts kernels, is 10% less.\n";
  return text;
}

}  // namespace roofline
