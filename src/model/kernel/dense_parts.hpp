#pragma once

// What the time of a dense contraction goes to.

#include <algorithm>

#include "model/kernel/dense_kernel.hpp"
#include "model/kernel/time_parts.hpp"

namespace roofline {

/// All blocks spread over all SMs without a gap.
template <class Parts>
void add_spread_blocks(Parts& parts, const GemmTime& gemm, double useful_share, double flop_s) {
  const TileCost& cost = gemm.cost;
  const double blocks = gemm.schedule.blocks / gemm.work.sm_count;
  const double steps = spread_steps(gemm);
  const double fed_s = std::max(cost.math_s, cost.l2_s);
  add_issue(parts, steps * cost.math_s, useful_share, flop_s);
  parts.add(Limiter::instructions, steps * (cost.step_s - fed_s),
            [&] { return expression(steps, " x (", cost.step_s, " - ", fed_s, ")"); });
  parts.add(Limiter::l2, steps * (fed_s - cost.math_s),
            [&] { return expression(steps, " x (", fed_s, " - ", cost.math_s, ")"); });
  parts.add(Limiter::l2, blocks * cost.store_s,
            [&] { return expression(blocks, Times{cost.store_s}); });
}

/// What waves add to that: SMs without a block in the last one, and the time by which a block's
/// chain of steps outlasts a wave's work, which more residents would hide but in the last wave.
template <class Parts>
void add_waves(Parts& parts, const GemmTime& gemm) {
  const Schedule& s = gemm.schedule;
  const double sms = gemm.work.sm_count;
  const double resident = resident_blocks(gemm);
  parts.add(Limiter::last_wave,
            (s.full_waves * resident + s.last_blocks - s.blocks / sms) * s.block_s, [&] {
              return expression("(", s.full_waves, " x ", resident, " + ", s.last_blocks, " - ",
                                s.blocks, " / ", sms, ") x ", s.block_s);
            });
  const bool last_is_full = s.last_blocks == 0;
  const double waited_for = last_is_full ? s.full_waves - 1 : s.full_waves;
  parts.add(Limiter::occupancy, waited_for * (s.full_wave_s - resident * s.block_s), [&] {
    return expression(waited_for, " x (", s.full_wave_s, " - ", resident, " x ", s.block_s, ")");
  });
  const double last_s = last_is_full ? s.full_wave_s : s.last_wave_s;
  const double last_blocks = last_is_full ? resident : s.last_blocks;
  parts.add(Limiter::latency, last_s - last_blocks * s.block_s,
            [&] { return expression(last_s, " - ", last_blocks, " x ", s.block_s); });
}

/// The kernels' time, without the first launch and DRAM. `flop_s`: the layer's own FLOP at the
/// engine's sustained rate.
template <class Parts>
void add_kernels(Parts& parts, const DenseKernel& kernel, double flop_s) {
  const GemmTime& gemm = kernel.gemm;
  const Staging& staging = kernel.staging;
  const Limiter workspace = staging.in_l2 ? Limiter::l2 : Limiter::dram;
  if (!kernel.tiled) {
    add_part(parts, Limiter::l2, kernel.vector.l2_s);
    add_part(parts, Limiter::latency, kernel.vector.start_s);
  } else if (staging.product_memory_s > gemm.schedule.kernel_s) {
    add_part(parts, workspace, staging.product_memory_s);
  } else {
    add_spread_blocks(parts, gemm, gemm.tile_utilization * kernel.product_share, flop_s);
    add_waves(parts, gemm);
    add_part(parts, Limiter::l2, gemm.schedule.partial_s);
    add_part(parts, Limiter::launch, gemm.schedule.reduce_s);
  }
  add_part(parts, Limiter::l2, kernel.clear_s);
  add_part(parts, Limiter::launch, kernel.clear_launch_s);
  add_part(parts, workspace, staging.transform_s);
  add_part(parts, Limiter::dram, staging.image_s);
  add_part(parts, Limiter::launch, staging.further_launch_s);
}

}  // namespace roofline
