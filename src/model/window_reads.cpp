#include "model/window_reads.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/layer_kind.hpp"
#include "model/sizes.hpp"

namespace roofline {
namespace {

// Positions count from the start of the padding. Sums may wrap around 64 bits; differences fit.

/// floor((step * i + start) / divisor), summed over i < count in steps of Euclid's algorithm.
std::uint64_t sum_of_quotients(std::uint64_t count, std::uint64_t divisor, std::uint64_t step,
                               std::uint64_t start) {
  std::uint64_t sum = 0;
  while (count > 0) {
    const std::uint64_t pairs =
        count % 2 == 0 ? count / 2 * (count - 1) : (count - 1) / 2 * count;  // i < j < count
    sum += pairs * (step / divisor) + count * (start / divisor);
    step %= divisor;
    start %= divisor;
    // The remaining points below the line, counted along its other axis.
    const std::uint64_t end = checked_add(checked_mul(step, count), start);
    count = end / divisor;
    start = end % divisor;
    std::swap(step, divisor);
  }
  return sum;
}

/// Number of pairs of a window and a tap which read a position before `end`.
std::uint64_t reads_before(std::uint64_t end, const AxisWindows& axis) {
  if (end == 0) return 0;
  const std::uint64_t last = end - 1;
  const std::uint64_t extent = axis.dilation * (axis.taps - 1);
  const std::uint64_t begun = std::min(axis.windows, last / axis.stride + 1);
  const std::uint64_t whole =
      last < extent ? 0 : std::min(axis.windows, (last - extent) / axis.stride + 1);
  const std::uint64_t cut = begun - whole;
  if (cut == 0) return whole * axis.taps;
  const std::uint64_t latest = last - (begun - 1) * axis.stride;
  return whole * axis.taps + cut + sum_of_quotients(cut, axis.dilation, axis.stride, latest);
}

/// Number of positions before `end` read by any window, for coprime stride and dilation. If several
/// pairs read a position, each pair except the last has a successor `dilation` windows on and
/// `stride` taps back.
std::uint64_t distinct_before(std::uint64_t end, const AxisWindows& axis) {
  const std::uint64_t reads = reads_before(end, axis);
  if (axis.windows <= axis.dilation || axis.taps <= axis.stride) return reads;
  const std::uint64_t first = axis.stride * axis.dilation;  // read by two pairs
  AxisWindows succeeded = axis;
  succeeded.windows -= axis.dilation;
  succeeded.taps -= axis.stride;
  return end <= first ? reads : reads - reads_before(end - first, succeeded);
}

}  // namespace

std::uint64_t positions_read(const AxisWindows& axis) {
  if (axis.taps == 1) return windows_reading(axis);  // each reads one position
  const std::uint64_t input_end = checked_add(axis.pad_begin, axis.positions);
  const bool leaves_no_gap = (axis.dilation == 1 && axis.stride <= axis.taps) ||
                             (axis.stride == 1 && axis.dilation <= axis.windows);
  if (leaves_no_gap) {
    const std::uint64_t end =
        axis.stride * (axis.windows - 1) + axis.dilation * (axis.taps - 1) + 1;
    return std::min(end, input_end) - std::min(end, axis.pad_begin);
  }
  AxisWindows reduced = axis;
  if (axis.windows == 1) reduced.stride = 1;
  const std::uint64_t grid = std::gcd(reduced.stride, reduced.dilation);
  reduced.stride /= grid;
  reduced.dilation /= grid;
  return distinct_before(ceil_div(input_end, grid), reduced) -
         distinct_before(ceil_div(axis.pad_begin, grid), reduced);
}

std::uint64_t taps_reading(const AxisWindows& axis) {
  return reads_before(checked_add(axis.pad_begin, axis.positions), axis) -
         reads_before(axis.pad_begin, axis);
}

std::uint64_t windows_reading(const AxisWindows& axis) {
  const std::uint64_t extent = axis.dilation * (axis.taps - 1);
  const std::uint64_t input_end = checked_add(axis.pad_begin, axis.positions);
  // The first window ending after the padding, and the first beginning after the input.
  const std::uint64_t first =
      axis.pad_begin > extent ? ceil_div(axis.pad_begin - extent, axis.stride) : 0;
  const std::uint64_t end = std::min(axis.windows, ceil_div(input_end, axis.stride));
  if (first >= end) return 0;
  if (axis.dilation <= axis.positions || axis.taps == 1) return end - first;
  // Two neighbouring taps may lie on both sides of the input.
  const std::uint64_t last_tap = axis.stride * first + extent - axis.pad_begin;
  const std::uint64_t start = checked_add(last_tap % axis.dilation, axis.dilation);
  const auto quotients = [&](std::uint64_t from) {
    return sum_of_quotients(end - first, axis.dilation, axis.stride, from);
  };
  return quotients(start) - quotients(start - axis.positions);
}

AxisWindows windows_along(const Layer& layer, std::size_t axis) {
  const Window& window = *layer.window;
  std::uint64_t positions = layer.inputs.front().shape.spatial[axis];
  std::uint64_t windows = layer.output.spatial[axis];
  if (layer.kind == LayerKind::conv_transpose) std::swap(positions, windows);
  return {positions,
          windows,
          window.kernel[axis],
          window.stride[axis],
          window.dilation[axis],
          window.pad_begin[axis]};
}

std::uint64_t positions_read(const Layer& layer, std::size_t axis) {
  if (has_window(layer.kind)) return positions_read(windows_along(layer, axis));
  const std::uint64_t positions = layer.inputs.front().shape.spatial[axis];
  const bool picks_nearest =
      layer.kind == LayerKind::upsample &&
      layer.interpolation.value_or(Interpolation::nearest) == Interpolation::nearest;
  return picks_nearest ? std::min(positions, layer.output.spatial[axis]) : positions;
}

}  // namespace roofline
