#include "report/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/text.hpp"

namespace roofline {
namespace {

std::string bytes(double count) { return si(count, "B"); }
std::string bytes(std::uint64_t count) { return si(static_cast<double>(count), "B"); }
std::string count_text(std::uint64_t count) { return fmt::format("{}", count); }

/// "3x3", of the axes that the window has.
std::string axes_text(const Axes& axes, std::size_t rank) {
  std::string text;
  for (std::size_t i = 3 - rank; i < 3; ++i)
    text += (text.empty() ? "" : "x") + count_text(axes[i]);
  return text;
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
  if (std::any_of(window.dilation.begin(), window.dilation.end(), [](auto d) { return d > 1; }))
    text += ", dilation " + axes_text(window.dilation, window.rank);
  return layer.groups > 1 ? fmt::format("{}, {} groups", text, layer.groups) : text;
}

/// The formula of the MACs and the same with its numbers.
std::string macs_text(const Layer& layer, const Counts& counts) {
  const Shape& in = layer.inputs.front().shape;
  const Shape& out = layer.output;
  const auto positions = [](const Shape& shape) {
    return shape.spatial[0] * shape.spatial[1] * shape.spatial[2];
  };
  const std::uint64_t taps =
      layer.window->kernel[0] * layer.window->kernel[1] * layer.window->kernel[2];
  if (layer.kind == LayerKind::conv_transpose)
    return fmt::format("batch x inputs x K/groups x taps = {} x {} x {} x {} = {}", in.batch,
                       in.channels * positions(in), out.channels / layer.groups, taps, counts.macs);
  if (taps > 1)
    return fmt::format("batch x K x positions x C/groups x taps = {} x {} x {} x {} x {} = {}",
                       out.batch, out.channels, positions(out), in.channels / layer.groups, taps,
                       counts.macs);
  return fmt::format("batch x outputs x inputs = {} x {} x {} = {}", out.batch,
                     out.channels * positions(out), in.channels / layer.groups, counts.macs);
}

/// "  intensity  FLOP / bytes = ..."
std::string step_line(std::string_view name, const std::string& text) {
  return fmt::format("  {:<10} {}\n", name, text);
}

/// A formula, on lines of its own where it is long.
std::string formula(std::string_view name, std::string text) {
  constexpr std::size_t widest = 67;
  const std::size_t numbers = text.find(" = ");
  if (text.size() > widest && numbers != text.npos)
    text.replace(numbers, 1, "\n" + std::string(13, ' '));
  return step_line(name, text);
}

std::string work_text(const LayerResult& row) {
  const Layer& layer = row.layer;
  const Counts& counts = row.counts;
  std::string inputs;
  for (const Operand& operand : layer.inputs)
    inputs += (inputs.empty() ? "" : " and ") + shape_text(operand.shape);
  std::string text =
      step_line("sizes", fmt::format("{} -> {}{}", inputs, shape_text(layer.output),
                                     has_window(layer.kind) ? window_text(layer) : ""));
  if (counts.macs > 0)
    text += formula("MACs", macs_text(layer, counts)) +
            step_line("FLOP", fmt::format("2 x MACs = {}", counts.flops));
  else
    text += step_line(
        "FLOP", fmt::format("{} an element = {}", info(layer.kind).flop_per_element, counts.flops));
  return text +
         step_line("bytes", fmt::format("input {} + weight {} + output {} = {}",
                                        bytes(counts.bytes.input), bytes(counts.bytes.weight),
                                        bytes(counts.bytes.output), bytes(counts.bytes.total)));
}

std::string bound_line(const RooflinePoint& point) {
  if (!point.intensity_flop_per_byte) return "";
  const bool compute = point.bound == Bound::compute;
  return step_line("bound",
                   fmt::format("{} is {} the ridge: {}", plain(*point.intensity_flop_per_byte),
                               compute ? "not below" : "below",
                               compute ? "compute, the arithmetic takes longer"
                                       : "memory, moving the bytes takes longer"));
}

std::string roofline_text(const LayerResult& row, const Ceilings& ceilings) {
  const RooflinePoint& point = row.point;
  const double peak = *rate_of(ceilings.peak_flop_per_s, row.engine);
  const std::string rate = si(peak, "FLOP/s");
  const std::string bandwidth = si(ceilings.bandwidth_byte_per_s, "B/s");
  const std::string flops = si(static_cast<double>(row.counts.flops), "FLOP");
  const std::string moved = bytes(row.counts.bytes.total);
  std::string text;
  if (point.intensity_flop_per_byte)
    text += step_line("intensity", fmt::format("FLOP / bytes = {} / {} = {} FLOP/B", flops, moved,
                                               plain(*point.intensity_flop_per_byte)));
  text += step_line(
      "ridge", fmt::format("peak / bandwidth = {} ({}) / {} = {} FLOP/B", rate, name_of(row.engine),
                           bandwidth, plain(point.ridge_flop_per_byte)));
  text += bound_line(point);
  text += step_line("compute", fmt::format("FLOP / peak = {} / {} = {}", flops, rate,
                                           duration(point.compute_time_s)));
  text += step_line("memory", fmt::format("bytes / bandwidth = {} / {} = {}", moved, bandwidth,
                                          duration(point.memory_time_s)));
  return text + step_line("roofline", "the longer of the two: " + duration(point.roofline_time_s));
}

std::string mapping_text(const KernelPlan& kernel) {
  std::string text(name_of(kernel.algorithm));
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

/// "ceil(65536 / 64) x ceil(64 / 64) = 1024 blocks", as the derivation has it.
std::string blocks_text(const Explanation& explanation, const KernelPlan& kernel) {
  for (const DerivationStep& step : explanation.steps)
    if (step.quantity == "blocks" && !step.expression.empty())
      return fmt::format("{} = {} blocks", step.expression, kernel.blocks);
  return fmt::format("{} blocks", kernel.blocks);
}

std::string tiles_text(const Explanation& explanation, const KernelPlan& kernel) {
  if (kernel.tile[0] == 0) return "";
  return step_line("tiles", fmt::format("{}x{}x{}: {}", kernel.tile[0], kernel.tile[1],
                                        kernel.tile[2], blocks_text(explanation, kernel))) +
         step_line("", fmt::format("{:.0f}% of the arithmetic issued is useful",
                                   100 * kernel.tile_utilization));
}

std::string waves_text(const KernelPlan& kernel) {
  if (kernel.blocks == 0 || kernel.resident_blocks_per_sm == 0 || !(kernel.waves > 0)) return "";
  const double at_once = static_cast<double>(kernel.blocks) / kernel.waves;
  const double sms = at_once / static_cast<double>(kernel.resident_blocks_per_sm);
  return step_line("waves",
                   fmt::format("{} blocks / ({:.0f} SMs x {} resident) = {}", kernel.blocks, sms,
                               kernel.resident_blocks_per_sm, plain(kernel.waves))) +
         step_line("", fmt::format("SMs {:.0f}% busy, occupancy {:.0f}%",
                                   100 * kernel.wave_utilization, 100 * kernel.occupancy));
}

/// What it moves, and its intensity by that.
std::string traffic_text(const LayerResult& row) {
  const KernelPlan& kernel = *row.kernel;
  const auto flops = static_cast<double>(row.counts.flops);
  const double dram = kernel.dram_read_byte + kernel.dram_write_byte;
  const auto at = [&](double moved) {
    return moved > 0 && flops > 0 ? fmt::format(": {} FLOP/B", plain(flops / moved)) : "";
  };
  return step_line("traffic",
                   fmt::format("at L2 {}{}", bytes(kernel.l2_byte), at(kernel.l2_byte))) +
         step_line("", fmt::format("at DRAM {} read, {} written{}", bytes(kernel.dram_read_byte),
                                   bytes(kernel.dram_write_byte), at(dram)));
}

std::string limiter_text(Limiter limiter) {
  std::string text(name_of(limiter));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

/// What the expected time is the sum of, a line each.
std::string parts_table(const LayerResult& row) {
  const KernelPlan& kernel = *row.kernel;
  std::string text;
  const auto add = [&](const std::string& name, double seconds, std::string_view meaning) {
    text += fmt::format("  {:<12} {:>9} {:>6}  {}\n", name, duration(seconds),
                        percent(share_of(seconds, kernel.expected_time_s)), meaning);
  };
  for (const Limiter limiter : enumerators<Limiter>)
    if (kernel.part_s[limiter] > 0)
      add(limiter_text(limiter), kernel.part_s[limiter], meaning_of(limiter));
  add("expected", kernel.expected_time_s, "the sum; most of it: " + limiter_text(kernel.limiter));
  if (row.measured_time_s) add("measured", *row.measured_time_s, "of the expected time");
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

/// Under the roofs.
std::string landing_text(const LayerResult& row) {
  const double expected = row.kernel->expected_time_s;
  const double times = expected / row.point.roofline_time_s;
  std::string text;
  if (row.counts.flops > 0)
    text = step_line(
        "rate", fmt::format("FLOP / expected = {} / {} = {}",
                            si(static_cast<double>(row.counts.flops), "FLOP"), duration(expected),
                            si(static_cast<double>(row.counts.flops) / expected, "FLOP/s")));
  return text +
         step_line("gap", fmt::format("expected / roofline = {} / {} = {}{}", duration(expected),
                                      duration(row.point.roofline_time_s), factor(times),
                                      times < 1 ? ": operands in L2, or MACs saved" : ""));
}

std::string advice_text(const std::vector<Advice>& all) {
  std::string text;
  for (const Advice& advice : all)
    text += advice.time_s ? fmt::format("  {:<52} {}, x{:.2f} faster\n", advice.change,
                                        duration(*advice.time_s), advice.speedup)
                          : fmt::format("  {:<52} next to nothing\n", advice.change);
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
  text += "\n3. How does a kernel do it?\n" + step_line("mapping", mapping_text(*row.kernel)) +
          tiles_text(explanation, *row.kernel) + waves_text(*row.kernel) + traffic_text(row);
  text += "\n4. How long does that take? (expected time)\n" + parts_table(row);
  text += "\n5. Where does it land?\n" + landing_text(row);
  if (!explanation.advice.empty()) text += "\nwhat would help\n" + advice_text(explanation.advice);
  if (explanation.steps.empty()) return text;
  if (length == ExplanationLength::lecture)
    return text +
           "\n--all derives the expected time number by number; -o FILE.svg draws the layer.\n";
  return text + "\nderivation of the expected time, in base units\n" +
         derivation_text(explanation.steps);
}

}  // namespace roofline
