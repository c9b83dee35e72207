#pragma once

// A grouped convolution's sizes as doubles, gathered once, and the plans of its direct kernels.

#include "model/kernel/memory_traffic.hpp"
#include "model/kernel/resolved_model.hpp"
#include "roofline/kernel.hpp"

namespace roofline {

struct ConvolutionProblem {
  const Layer* layer = nullptr;
  const Shape* input = nullptr;  ///< of the convolution: a transposed one is its data gradient
  const Shape* output = nullptr;
  const ResolvedModel* model = nullptr;
  CacheState cache = CacheState::warm;
  bool inner = false;    ///< channels innermost
  bool half = false;     ///< elements of two bytes or fewer
  std::size_t pass = 0;  ///< index into the constants' arrays
  double element_byte = 4;
  double batch = 1;
  double groups = 1;
  double group_in = 1;  ///< input channels a group
  double group_out = 1;
  double taps = 1;
  double valid_taps = 1;  ///< mean number that fall inside the input
  double valid_rows = 1;  ///< mean number of window rows that do
  double stride = 1;      ///< product over the axes
  double input_plane = 1;
  double output_plane = 1;
  Streams streams;

  double input_element() const { return batch * groups * group_in * input_plane; }
  double output_element() const { return batch * groups * group_out * output_plane; }
  /// Positions a GEMM's rows stand for: outputs, or inputs when those are made.
  double positions() const { return batch * (pass == 1 ? input_plane : output_plane); }
};

ConvolutionProblem convolution_problem(const Layer& layer, const Counts& counts,
                                       const ResolvedModel& model, CacheState cache);

/// Work of a kernel in parts; `finish` makes the plan of it.
struct ConvolutionWork {
  Algorithm algorithm = Algorithm::grouped_direct_nhwc;
  double start_s = 0;
  double steps_s = 0;  ///< a chain that nothing hides
  double math_s = 0;
  double reread_l2_byte = 0;
  double fetch_s = 0;  ///< operand fetch where it is slower than the L2 itself
  double efficiency = 1;
  double kernels = 1;
  double blocks = 0;
  double threads = 0;
  double tile_utilization = 1;
};

KernelPlan finish(const ConvolutionWork& work, const ConvolutionProblem& problem);

/// Keeps the faster plan.
inline void keep_faster(KernelPlan& best, const KernelPlan& candidate) {
  if (best.expected_time_s == 0 || candidate.expected_time_s < best.expected_time_s)
    best = candidate;
}

KernelPlan plan_direct(const DirectKernel& kernel, Algorithm algorithm, double steps, double macs,
                       double outputs, const ConvolutionProblem& problem,
                       double reread_l2_byte = 0);

KernelPlan plan_depthwise(const ConvolutionProblem& problem, const ConvolutionConstants& constants);
KernelPlan plan_grouped_gemm(const ConvolutionProblem& problem,
                             const ConvolutionConstants& constants);

/// Channels of each group padded to `width`, packed into tensor-core tiles; `repack` adds the
/// layout changes.
KernelPlan plan_packed(const ConvolutionProblem& problem, const ConvolutionConstants& constants,
                       double width, bool repack);

}  // namespace roofline
