#pragma once

// A grouped convolution's sizes as doubles, gathered once, and the work of its direct kernels.

#include "kernel/throughput_kernel.hpp"

namespace roofline {

struct ConvolutionProblem {
  const Layer* layer = nullptr;
  const Shape* input = nullptr;  ///< of the convolution: a transposed one is its data gradient
  const Shape* output = nullptr;
  Pass pass = Pass::fwd;  ///< of that convolution
  bool nhwc = false;
  bool is_16bit = false;  ///< elements of two bytes or fewer
  double element_byte = 4;
  double batch = 1;
  double groups = 1;
  double group_in = 1;  ///< input channels a group
  double group_out = 1;
  double taps = 1;
  double valid_taps = 1;       ///< mean number that fall inside the input
  double valid_rows = 1;       ///< mean number of window rows that do
  double stride = 1;           ///< product over the axes
  double input_positions = 1;  ///< of a channel of an image
  double output_positions = 1;
  Streams streams;

  double input_element() const { return batch * groups * group_in * input_positions; }
  double output_element() const { return batch * groups * group_out * output_positions; }
  /// Of the tensor that a forward pass or data gradient makes.
  double made_element() const { return pass == Pass::dgrad ? input_element() : output_element(); }
  /// Positions a GEMM's rows stand for: outputs, or inputs when those are made.
  double positions() const {
    return batch * (pass == Pass::dgrad ? input_positions : output_positions);
  }
};

ConvolutionProblem convolution_problem(const Layer& layer, const Counts& counts);

/// What the formulas of grouped kernels take: the layer, the constants, the machine.
template <class Trace>
struct GroupedFormulas {
  using Number = NumberOf<Trace>;
  using Work = ThroughputWork<Number>;

  const ConvolutionProblem& p;
  const GroupedConstants& k;
  const ResolvedModel& model;
  const MachineRates<Number>& rates;
  Trace& trace;

  /// What a kernel does whatever its arithmetic: the problem's bytes, one round trip.
  Work start_of(Algorithm algorithm, const double& start_s) const {
    Work work;
    work.algorithm = algorithm;
    work.start_s = trace.summand("start beyond the launch", trace(start_s), "s");
    work.streams = p.streams;
    work.round_trips = 1;
    return work;
  }

  /// A direct kernel that makes outputs in chains of `steps`; tiles make `waste` elements for each
  /// that exists.
  Work direct_work(Algorithm algorithm, const DirectKernel& kernel, const Number& steps,
                   const Number& macs, const Number& outputs, const Number& waste = 1) const {
    Work work = start_of(algorithm, kernel.start_s);
    work.l2_round_trips = steps * trace(kernel.step_round_trip);
    work.clocks =
        macs * waste * trace(kernel.mac_clock) + outputs * waste * trace(kernel.output_clock);
    work.useful_share = 1 / waste;
    work.in_flight_byte = trace(kernel.in_flight_byte) * rates.sm_count;
    return work;
  }

  Number outputs() const { return trace.named("outputs", p.made_element(), "", "layer"); }
  Number window_taps() const { return trace.named("taps", p.taps, "", "window"); }
  Number valid_taps() const {
    return trace.named("taps inside the input, on average", p.valid_taps, "", "window and padding");
  }
};

}  // namespace roofline
