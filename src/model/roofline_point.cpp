#include "roofline/roofline_point.hpp"

#include <algorithm>

namespace roofline {

RooflinePoint evaluate(const Counts& counts, double peak_flop_per_s, double bandwidth_byte_per_s) {
  const auto flops = static_cast<double>(counts.flops);
  const auto bytes = static_cast<double>(counts.bytes.total);
  RooflinePoint point;
  point.ridge_flop_per_byte = peak_flop_per_s / bandwidth_byte_per_s;
  point.compute_time_s = flops / peak_flop_per_s;
  point.memory_time_s = bytes / bandwidth_byte_per_s;
  point.roofline_time_s = std::max(point.compute_time_s, point.memory_time_s);
  if (bytes > 0) {
    point.intensity_flop_per_byte = flops / bytes;
    if (*point.intensity_flop_per_byte >= point.ridge_flop_per_byte) point.bound = Bound::compute;
  }
  if (point.roofline_time_s > 0) point.attainable_flop_per_s = flops / point.roofline_time_s;
  return point;
}

}  // namespace roofline
