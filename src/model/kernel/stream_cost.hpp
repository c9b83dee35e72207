#pragma once

// The cost of a streaming kernel in parts, before a GPU is known, and the plan made of it.

#include "model/kernel/memory_traffic.hpp"
#include "model/kernel/resolved_model.hpp"
#include "roofline/kernel.hpp"

namespace roofline {

/// A layer's sizes as doubles, gathered once.
struct StreamProblem {
  const Layer* layer = nullptr;
  bool inner = false;  ///< channels innermost
  double batch = 1;
  double channels = 1;
  double input_plane = 1;  ///< positions of a channel
  double output_plane = 1;
  double input_element = 0;
  double output_element = 0;
  double input_byte = 0;
  double output_byte = 0;
  Streams streams;  ///< of the forward pass

  bool backward() const { return layer->pass != Pass::fwd; }
};

StreamProblem stream_problem(const Layer& layer, const Counts& counts);

struct StreamCost {
  Algorithm algorithm = Algorithm::vectorized_elementwise;
  double start_s = 0;
  double rounds = 0;      ///< dependent round trips
  double clocks = 0;      ///< SM clocks of all instructions
  double efficiency = 1;  ///< of the sustained memory rates
  double kernels = 1;
  double block_starts = 0;  ///< grids that start in turn, each of so many blocks
  double blocks_a_start = 0;
  double block_clock = 0;      ///< SM clocks that starting a block takes
  double blocks = 0;           ///< where few blocks leave SMs idle; 0: enough of them
  double blocks_resident = 0;  ///< where too few for four an SM: the rates fall with their root
  Streams streams;
};

StreamCost cost_of(const StreamKernel& kernel, Algorithm algorithm, const StreamProblem& p);

KernelPlan plan_of(const StreamCost& cost, const ResolvedModel& model, CacheState cache);

}  // namespace roofline
