#pragma once

// A grouped convolution's sizes as doubles, gathered once, and the work of its direct kernels.

#include "model/kernel/throughput_kernel.hpp"

namespace roofline {

struct ConvolutionProblem {
  const Layer* layer = nullptr;
  const Shape* input = nullptr;  ///< of the convolution: a transposed one is its data gradient
  const Shape* output = nullptr;
  const ResolvedModel* model = nullptr;
  CacheState cache = CacheState::warm;
  double flop_s = 0;     ///< the layer's own FLOP at its engine's sustained rate
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

ConvolutionProblem convolution_problem(const Layer& layer, const Counts& counts, Engine engine,
                                       const ResolvedModel& model, CacheState cache);

/// A kernel timed on the problem.
ThroughputKernel timed(const ThroughputWork& work, const ConvolutionProblem& problem);

/// Keeps the faster kernel.
inline void keep_faster(ThroughputKernel& best, const ThroughputKernel& candidate) {
  if (best.total_s == 0 || candidate.total_s < best.total_s) best = candidate;
}

/// What a kernel does whatever its arithmetic: the problem's bytes, one round trip.
/// `start_s` is one of the kernel's constants.
ThroughputWork start_of(Algorithm algorithm, const double& start_s,
                        const ConvolutionProblem& problem);

/// A direct kernel that makes `outputs` in chains of `steps`, `waste` elements for each that
/// exists.
struct DirectWork {
  Algorithm algorithm;
  double steps;
  double macs;
  double outputs;
  double waste = 1;
  double reread_l2_byte = 0;
};
ThroughputWork direct_work(const DirectKernel& kernel, const DirectWork& work,
                           const ConvolutionProblem& problem);

ThroughputKernel depthwise_kernel(const ConvolutionProblem& problem,
                                  const GroupedConstants& constants);
ThroughputKernel grouped_gemm_kernel(const ConvolutionProblem& problem,
                                     const GroupedConstants& constants);

/// Channels of each group padded to `width`, packed into tensor-core tiles; `repack` adds the
/// layout changes.
ThroughputKernel packed_kernel(const ConvolutionProblem& problem, const GroupedConstants& constants,
                               double width, bool repack);

}  // namespace roofline
