#pragma once

// A streaming layer's sizes as doubles, gathered once, the work of a kernel on it, and the families
// that have files of their own.

#include "kernel/plans.hpp"

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
  bool is_16bit() const { return element_byte(layer->dtypes.input) <= 2; }
};

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

  /// A kernel's work but for its instructions and its chain.
  template <class Kernel>
  Work start_of(const Kernel& kernel, Algorithm algorithm) const {
    Work work;
    work.algorithm = algorithm;
    work.start_s = trace.summand("start beyond the launch", trace(kernel.start_s), "s");
    work.in_flight_byte = trace(kernel.in_flight_byte) * rates.sm_count;
    work.streams = p.streams;
    return work;
  }

  /// The same with its round trips.
  Work chain_of(const StreamKernel& kernel, Algorithm algorithm) const {
    Work work = start_of(kernel, algorithm);
    work.round_trips = trace(kernel.round_trips);
    return work;
  }

  /// The same with what each output costs.
  Work work_of(const StreamKernel& kernel, Algorithm algorithm) const {
    Work work = chain_of(kernel, algorithm);
    work.clocks = outputs() * trace(kernel.element_clock);
    return work;
  }
};

/// Batch, instance, group, layer and RMS norms, as kernels one after the other.
template <class Trace>
Works<Trace> norm(const StreamFormulas<Trace>& formulas);

/// Max and average pools.
template <class Trace>
Works<Trace> pool(const StreamFormulas<Trace>& formulas);

/// Who does what in a reduction.
struct ReductionGrid {
  double threads = 1;        ///< of a block
  double blocks = 1;         ///< of all results together
  double loads = 1;          ///< of all threads, one after the other where a thread has several
  double steps = 1;          ///< of a thread along its elements, four loads each
  double partial_steps = 0;  ///< of the last block along what others found; 0: a block a result
};

ReductionGrid reduction_grid(const Layer& layer, const Machine& machine);

/// The kernel of such a layer. `layer` is the formulas' own, or of partial results that its kernel
/// has left in L2.
template <class Trace>
ThroughputWork<NumberOf<Trace>> reduction(const StreamFormulas<Trace>& formulas, const Layer& layer,
                                          const Streams& streams);

}  // namespace roofline
