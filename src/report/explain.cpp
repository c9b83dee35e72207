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
  const Window& window = layer.window;
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
      layer.window.kernel[0] * layer.window.kernel[1] * layer.window.kernel[2];
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

std::string counts_text(const LayerResult& row) {
  const Layer& layer = row.layer;
  const Counts& counts = row.counts;
  std::string inputs;
  for (const Operand& operand : layer.inputs)
    inputs += (inputs.empty() ? "" : " and ") + shape_text(operand.shape);
  std::string text = fmt::format("  shapes     {} -> {}{}\n", inputs, shape_text(layer.output),
                                 has_window(layer.kind) ? window_text(layer) : "");
  if (counts.macs > 0)
    text += fmt::format("  MACs       {}\n  FLOP       2 x MACs = {}\n", macs_text(layer, counts),
                        counts.flops);
  else
    text += fmt::format("  FLOP       {} an element = {}\n", info(layer.kind).flop_per_element,
                        counts.flops);
  return text + fmt::format("  bytes      input {} + weight {} + output {} = {}\n",
                            bytes(counts.bytes.input), bytes(counts.bytes.weight),
                            bytes(counts.bytes.output), bytes(counts.bytes.total));
}

std::string roofline_text(const LayerResult& row, const Ceilings& ceilings) {
  const RooflinePoint& point = row.point;
  const double peak = *rate_of(ceilings.peak_flop_per_s, row.engine);
  const std::string rate = si(peak, "FLOP/s");
  const std::string bandwidth = si(ceilings.bandwidth_byte_per_s, "B/s");
  const std::string flops = si(static_cast<double>(row.counts.flops), "FLOP");
  const std::string moved = bytes(row.counts.bytes.total);
  std::string text = fmt::format("  ridge      {} ({}) / {} = {} FLOP/B\n", rate,
                                 name_of(row.engine), bandwidth, plain(point.ridge_flop_per_byte));
  if (point.intensity_flop_per_byte)
    text += fmt::format("  intensity  {} / {} = {} FLOP/B: {}-bound\n", flops, moved,
                        plain(*point.intensity_flop_per_byte),
                        point.bound == Bound::compute ? "compute" : "memory");
  return text + fmt::format(
                    "  compute    {} / {} = {}\n"
                    "  memory     {} / {} = {}\n"
                    "  time       the larger: {}\n",
                    flops, rate, duration(point.compute_time_s), moved, bandwidth,
                    duration(point.memory_time_s), duration(point.roofline_time_s));
}

std::string mapping_text(const KernelPlan& kernel) {
  std::string text(name_of(kernel.algorithm));
  if (kernel.tile[0] > 0)
    text += fmt::format(", tile {}x{}x{}", kernel.tile[0], kernel.tile[1], kernel.tile[2]);
  if (kernel.split_k > 1) text += fmt::format(", split-K {}", kernel.split_k);
  if (kernel.threads > 0) text += fmt::format(", {} threads", kernel.threads);
  if (kernel.registers > 0) text += fmt::format(", {} registers", kernel.registers);
  if (kernel.shared_memory_byte > 0)
    text +=
        fmt::format(", {:.3g} KiB shared", static_cast<double>(kernel.shared_memory_byte) / 1024);
  if (kernel.kernels > 1) text += fmt::format(", {} kernels", kernel.kernels);
  return text;
}

std::string placement_text(const KernelPlan& kernel) {
  std::string text;
  if (kernel.blocks > 0 && kernel.resident_blocks_per_sm > 0)
    text += fmt::format(
        "  waves      {} blocks, {} resident an SM: {} waves; SMs {:.0f}% busy, "
        "occupancy {:.0f}%\n",
        kernel.blocks, kernel.resident_blocks_per_sm, plain(kernel.waves),
        100 * kernel.wave_utilization, 100 * kernel.occupancy);
  if (kernel.tile[0] > 0)
    text += fmt::format("  tiles      {:.0f}% of the arithmetic issued is useful\n",
                        100 * kernel.tile_utilization);
  return text;
}

/// Where the kernel stands on the roofline: its own intensity and rate.
std::string point_text(const LayerResult& row) {
  const KernelPlan& kernel = *row.kernel;
  const auto flops = static_cast<double>(row.counts.flops);
  const double dram = kernel.dram_read_byte + kernel.dram_write_byte;
  std::string text =
      fmt::format("  memory     L2 {}; DRAM {} read, {} written\n", bytes(kernel.l2_byte),
                  bytes(kernel.dram_read_byte), bytes(kernel.dram_write_byte));
  text += "  point     ";
  if (kernel.l2_byte > 0) text += fmt::format(" {} FLOP/B at L2,", plain(flops / kernel.l2_byte));
  if (dram > 0) text += fmt::format(" {} FLOP/B at DRAM,", plain(flops / dram));
  return text + fmt::format(" {} achieved\n", si(flops / kernel.expected_time_s, "FLOP/s"));
}

std::string limiter_text(Limiter limiter) {
  std::string text(name_of(limiter));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

/// What the expected time is the sum of, on lines of at most 100 columns.
std::string parts_text(const KernelPlan& kernel) {
  constexpr std::size_t width = 87;
  std::string text;
  std::size_t column = 0;
  for (const Limiter limiter : enumerators<Limiter>) {
    if (kernel.part_s[limiter] == 0) continue;
    const std::string part = fmt::format("{}{} {}", text.empty() ? "" : " + ",
                                         limiter_text(limiter), duration(kernel.part_s[limiter]));
    if (column + part.size() > width) {
      text += "\n            ";
      column = 0;
    }
    text += part;
    column += part.size();
  }
  return text;
}

std::string kernel_text(const LayerResult& row) {
  const KernelPlan& kernel = *row.kernel;
  std::string text = fmt::format("  mapping    {}\n", mapping_text(kernel));
  text += placement_text(kernel) + point_text(row);
  text += fmt::format("  parts      {}\n", parts_text(kernel));
  text +=
      fmt::format("  time       {}, {:.2f} x the roofline bound", duration(kernel.expected_time_s),
                  kernel.expected_time_s / row.point.roofline_time_s);
  if (row.measured_time_s) text += fmt::format("; measured {}", duration(*row.measured_time_s));
  text += '\n';
  if (const auto& uncertainty = row.expected_uncertainty)
    text += fmt::format("  within     {} for 68 of 100 such kernels, {} for 95: {}\n",
                        factor(uncertainty->factor), factor(uncertainty->factor_95),
                        meaning_of(uncertainty->basis));
  return text + fmt::format("  limiter    {}: {:.0f}% of the time\n", limiter_text(kernel.limiter),
                            100 * kernel.limiter_share);
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

std::string explanation_text(const Explanation& explanation, const Result& result) {
  const LayerResult& row = result.layers[explanation.row];
  const Layer& layer = row.layer;
  std::string text = fmt::format(
      "{} of {}: {} {} in {} on {}\n", printable(layer.name), printable(result.setting.network),
      info(layer.kind).name, name_of(layer.pass), name_of(layer.dtypes.input), result.setting.gpu);
  if (!row.fused_into.empty())
    return text + fmt::format("\nfused into {}: no kernel of its own\n", printable(row.fused_into));
  text += "\ncounts\n" + counts_text(row);
  text += "\nroofline bound\n" + roofline_text(row, result.bounds.ceilings);
  if (!row.kernel) return text;
  text += "\nexpected time\n" + kernel_text(row);
  if (!explanation.steps.empty())
    text +=
        "\nderivation of the expected time, in base units\n" + derivation_text(explanation.steps);
  if (!explanation.advice.empty()) text += "\nwhat would help\n" + advice_text(explanation.advice);
  return text;
}

}  // namespace roofline
