#pragma once

// Small pieces that all memory-side plans share.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "model/kernel/memory_traffic.hpp"
#include "model/kernel/rounding.hpp"
#include "roofline/kernel.hpp"

namespace roofline {

inline double spatial_size(const Shape& shape) {
  return static_cast<double>(shape.spatial[0]) * static_cast<double>(shape.spatial[1]) *
         static_cast<double>(shape.spatial[2]);
}

inline double element_count(const Shape& shape) {
  return static_cast<double>(shape.batch) * static_cast<double>(shape.channels) *
         spatial_size(shape);
}

inline double window_taps(const Window& window) {
  return static_cast<double>(window.kernel[0]) * static_cast<double>(window.kernel[1]) *
         static_cast<double>(window.kernel[2]);
}

inline double window_stride(const Window& window) {
  return static_cast<double>(window.stride[0]) * static_cast<double>(window.stride[1]) *
         static_cast<double>(window.stride[2]);
}

/// PyTorch and cuDNN run 16-bit and TF32 layers with channels innermost (NHWC) and fp32 ones with
/// columns innermost (NCHW); the measurements were made so.
inline bool channels_innermost(const Layer& layer) {
  return layer.dtypes.input != DataType::fp32 && layer.dtypes.input != DataType::fp64;
}

/// How well a chain of round trips hides behind the bytes and instructions of other threads:
/// (chain^p + throughput^p)^(1/p). Two: a few blocks an SM, started together; 1 would be none.
constexpr double overlap_power = 2;

/// Joins the resource times: launches and the start add to the throughput bound, the chain of
/// dependent steps hides behind it in part. Names as limiter the loss whose disappearance would
/// save most, and the share of the time it would save. `start_s` is exposed, `chain_s` overlaps.
inline void finish_plan(KernelPlan& plan, double start_s, double chain_s) {
  const std::array<double, 3> throughput{plan.math_s, plan.l2_s, plan.dram_s};
  constexpr std::array<Limiter, 3> limiters{Limiter::math, Limiter::l2, Limiter::dram};
  std::size_t largest = 0;
  for (std::size_t i = 1; i < 3; ++i)
    if (throughput[i] > throughput[largest]) largest = i;
  double second = 0;
  for (std::size_t i = 0; i < 3; ++i)
    if (i != largest) second = std::max(second, throughput[i]);
  const auto joined = [chain_s](double bound_s) { return std::hypot(bound_s, chain_s); };
  static_assert(overlap_power == 2, "joined() is the power mean of two");
  const double busy_s = joined(throughput[largest]);
  plan.latency_s = start_s + busy_s - throughput[largest];
  plan.expected_time_s = plan.launch_s + start_s + busy_s;
  plan.limiter = limiters[largest];
  double saved = busy_s - joined(second);
  if (plan.latency_s > saved) plan.limiter = Limiter::latency, saved = plan.latency_s;
  if (plan.launch_s > saved) plan.limiter = Limiter::launch, saved = plan.launch_s;
  plan.limiter_share = plan.expected_time_s > 0 ? saved / plan.expected_time_s : 0;
}

}  // namespace roofline
