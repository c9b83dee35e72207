#pragma once

#include "kernel/plans.hpp"

namespace roofline {

struct StreamProblem {
  const Layer* layer = nullptr;
  bool nhwc = false;
  double batch = 1;
  double channels = 1;
  double input_positions = 1;  ///< per channel of an image
  double input_element = 0;
  double output_element = 0;
  double input_byte = 0;
  double output_byte = 0;
  Streams streams;

  bool backward() const { return layer->pass != Pass::fwd; }
  bool is_16bit() const { return element_byte(layer->dtypes.input) <= 2; }
};

template <class Number>
struct StreamFormulas {
  using Work = ThroughputWork<Number>;

  const StreamProblem& problem;
  const StreamingConstants& constants;
  const MachineRates<Number>& rates;
  const Machine& machine;
  Eval<Number>& eval;

  Number inputs() const { return eval.named("inputs", problem.input_element, "", "layer"); }
  Number outputs() const { return eval.named("outputs", problem.output_element, "", "layer"); }

  /// A kernel's work without instructions and chain.
  template <class Kernel>
  Work start_of(const Kernel& kernel, Algorithm algorithm) const {
    Work work;
    work.algorithm = algorithm;
    work.start_s = eval.summand("start beyond the launch", eval(kernel.start_s), "s");
    work.in_flight_byte = eval(kernel.in_flight_byte) * rates.sm_count;
    work.streams = problem.streams;
    return work;
  }

  /// start_of() with round trips.
  Work chain_of(const StreamKernel& kernel, Algorithm algorithm) const {
    Work work = start_of(kernel, algorithm);
    work.round_trips = eval(kernel.round_trips);
    return work;
  }

  /// chain_of() with the cost of each output.
  Work work_of(const StreamKernel& kernel, Algorithm algorithm) const {
    Work work = chain_of(kernel, algorithm);
    work.clocks = outputs() * eval(kernel.element_clock);
    return work;
  }
};

/// Kernels in sequence.
template <class Number>
Works<Number> norm(const StreamFormulas<Number>& formulas);

template <class Number>
Works<Number> pool(const StreamFormulas<Number>& formulas);

struct ReductionGrid {
  double threads = 1;  ///< of a block
  double blocks = 1;   ///< of all results
  double loads = 1;    ///< of all threads; a thread's loads run in sequence
  double steps = 1;    ///< of a thread along its elements, four loads each
  /// Steps of the last block along other blocks' results; 0: one block per result.
  double partial_steps = 0;
};

ReductionGrid reduction_grid(const Layer& layer, const Machine& machine);

/// `layer`: the formulas' own, or partial results which its kernel left in L2.
template <class Number>
ThroughputWork<Number> reduction(const StreamFormulas<Number>& formulas, const Layer& layer,
                                 const Streams& streams);

}  // namespace roofline
