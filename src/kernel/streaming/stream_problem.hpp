#pragma once

// A streaming layer's sizes as doubles, gathered once, and the work of a kernel on it.

#include "kernel/throughput_kernel.hpp"

namespace roofline {

struct StreamProblem {
  const Layer* layer = nullptr;
  bool nhwc = false;
  double batch = 1;
  double channels = 1;
  double input_positions = 1;  ///< of a channel of an image
  double input_element = 0;
  double output_element = 0;
  double input_byte = 0;
  double output_byte = 0;
  Streams streams;

  bool backward() const { return layer->pass != Pass::fwd; }
};

StreamProblem stream_problem(const Layer& layer, const Counts& counts);

/// What the formulas of streaming kernels take: the layer, the constants, the machine.
template <class Trace>
struct StreamFormulas {
  using Number = NumberOf<Trace>;
  using Work = ThroughputWork<Number>;

  const StreamProblem& p;
  const StreamingConstants& k;
  const MachineRates<Number>& rates;
  const Machine& machine;
  Trace& trace;

  Number inputs() const { return trace.named("inputs", p.input_element, "", "layer"); }
  Number outputs() const { return trace.named("outputs", p.output_element, "", "layer"); }

  /// A kernel's work but for its instructions.
  template <class Kernel>
  Work start_of(const Kernel& kernel, Algorithm algorithm) const {
    Work work;
    work.algorithm = algorithm;
    work.start_s = trace.summand("start beyond the launch", trace(kernel.start_s), "s");
    work.in_flight_byte = trace(kernel.in_flight_byte) * rates.sm_count;
    work.streams = p.streams;
    return work;
  }
};

}  // namespace roofline
