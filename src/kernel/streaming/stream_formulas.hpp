#pragma once

#include <algorithm>
#include <cmath>

#include "kernel/plans.hpp"

namespace roofline {

/// Requests to L1 are for lines, of four sectors of L2 and memory, which memory serves in pairs.
constexpr double line_byte = 128;
constexpr double sector_byte = 32;
constexpr double sector_pair_byte = 2 * sector_byte;

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
  using Work = KernelWork<Number>;

  const StreamProblem& problem;
  const StreamingConstants& constants;
  const MachineRates<Number>& rates;
  const Machine& machine;
  Eval<Number>& eval;

  Number inputs() const { return eval.named("inputs", problem.input_element, "", "layer"); }
  Number outputs() const { return eval.named("outputs", problem.output_element, "", "layer"); }

  /// A kernel's work without instructions and chain.
  Work start_of(const double& start_s, Algorithm algorithm) const {
    Work work;
    work.algorithm = algorithm;
    work.start_s = eval.summand("start beyond the launch", eval(start_s), "s");
    work.streams = problem.streams;
    return work;
  }
  template <class Kernel>
  Work start_of(const Kernel& kernel, Algorithm algorithm) const {
    Work work = start_of(kernel.start_s, algorithm);
    work.in_flight_byte = eval(kernel.in_flight_byte) * rates.sm_count;
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

  /// An element of `made` a thread and access, which computes its place in each of `axes`.
  Work indexed(double axes, const Number& made) const {
    Work work = chain_of(constants.indexed, Algorithm::strided_elementwise);
    work.clocks = made * eval.named("axes that a thread computes", axes, "", "layer") *
                  eval(constants.indexed.element_clock);
    return work;
  }

  /// Lanes of a warp access places which lie `apart` bytes from each other: the more, the more
  /// lines of `line` bytes a warp asks for, up to one a lane. `run`: neighbouring elements of the
  /// result that are neighbours in the source. `made`: elements of the result.
  Work moved_apart(double apart, double line, double run, const Number& made) const {
    Work work = chain_of(constants.transposed, Algorithm::transposed_elementwise);
    const double lines = apart / line;
    const double share = lines / std::sqrt(1 + lines * lines) / run;
    work.clocks = made * eval(constants.transposed.element_clock) *
                  hypot(Number(share), eval(constants.transposed_share));
    return work;
  }

  /// Elements of places `apart` bytes from each other, a plane after the other: the rest of the
  /// fetched sectors belongs to other planes, and memory sends it again, in pairs of sectors,
  /// unless L2 keeps all places until then.
  void fetch_again(Work& work, double elements, double apart) const {
    const double again = elements * std::min(sector_pair_byte, apart);
    work.streams.again_byte = again;
    work.streams.between_byte = problem.input_positions * std::min(line_byte, apart);
    work.reread_byte = -again / 2;  // L2 serves single sectors
  }

  /// moved_apart() with a result in NCHW.
  Work moved_to_planes(double channels, double run, const Number& made) const {
    const double apart = channels * element_byte(problem.layer->dtypes.input);
    Work work = moved_apart(apart, line_byte, run, made);
    fetch_again(work, value_of(made) / run, apart);
    return work;
  }

  /// The input as a kernel without channels last takes it: a copy in NCHW, made first.
  Work input_in_planes() const {
    const auto channels = static_cast<double>(problem.layer->inputs.front().shape.channels);
    Work work = moved_to_planes(channels, 1, inputs());
    work.streams.read_byte = work.streams.write_byte = problem.input_byte;
    return work;
  }
};

/// Kernels in sequence.
template <class Number>
Works<Number> norm(const StreamFormulas<Number>& formulas);

template <class Number>
Works<Number> pool(const StreamFormulas<Number>& formulas);

/// Kernels in sequence of a pad whose mode is known.
template <class Number>
Works<Number> pad(const StreamFormulas<Number>& formulas, double axes);

template <class Number>
Works<Number> softmax(const StreamFormulas<Number>& formulas);

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
KernelWork<Number> reduction(const StreamFormulas<Number>& formulas, const Layer& layer,
                             const Streams& streams);

}  // namespace roofline
