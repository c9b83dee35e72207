#include "results/measured.hpp"

#include <algorithm>

#include "model/gpu_names.hpp"

namespace roofline {
namespace {

/// Below what any faster engine of a part could do: the slips from ms to us to s are a thousand.
constexpr double unit_slip = 1.0 / 30;

bool may_save_macs(const Layer& layer) {
  return layer.kind == LayerKind::conv && layer.groups == 1 && layer.window->rank == 2 &&
         layer.window->kernel[1] > 1 && layer.window->kernel[2] > 1 &&
         layer.window->stride == Axes{1, 1, 1} && layer.window->dilation == Axes{1, 1, 1};
}

BelowBound why(const LayerResult& row, const Context& context) {
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
    row.below_bound = why(row, context);
}

}  // namespace roofline
