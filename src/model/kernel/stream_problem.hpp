#pragma once

// A streaming layer's sizes as doubles, gathered once, and the work of a kernel on it.

#include "model/kernel/constants.hpp"
#include "model/kernel/throughput_kernel.hpp"

namespace roofline {

struct StreamProblem {
  const Layer* layer = nullptr;
  const Machine* machine = nullptr;
  bool inner = false;  ///< channels innermost
  double batch = 1;
  double channels = 1;
  double input_plane = 1;  ///< positions of a channel
  double output_plane = 1;
  double input_element = 0;
  double output_element = 0;
  double input_byte = 0;
  double output_byte = 0;
  Streams streams;

  bool backward() const { return layer->pass != Pass::fwd; }
};

StreamProblem stream_problem(const Layer& layer, const Counts& counts, const Machine& machine);

/// A kernel's work but for its instructions.
ThroughputWork start_of(const StreamKernel& kernel, Algorithm algorithm, const StreamProblem& p);

/// The same with what each output costs.
ThroughputWork work_of(const StreamKernel& kernel, Algorithm algorithm, const StreamProblem& p);

}  // namespace roofline
