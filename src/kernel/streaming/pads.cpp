// Pads, as PyTorch runs them (ATen/native/PadNd.cpp, cuda/ReflectionPad.cu, ReplicationPadding.cu).
//
// A constant fills the result, into which the input is then copied. Circles are copied side by
// side: the input, and a slice of the result for each side of each axis. Reflections and replicas
// are made by a thread an element, in blocks of one plane, which compute their place in each axis.
//
// In channels last, constants stay; for reflections and circles the input goes to NCHW; the kernel
// of replicas reads it where it lies.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernel/streaming/stream_formulas.hpp"

namespace roofline {
namespace {

constexpr double plane_block_threads = 256;

template <class Number>
class PadKernels : StreamFormulas<Number> {
  using Formulas = StreamFormulas<Number>;
  using Formulas::chain_of;
  using Formulas::constants;
  using Formulas::eval;
  using Formulas::indexed;
  using Formulas::inputs;
  using Formulas::machine;
  using Formulas::outputs;
  using Formulas::problem;
  using Formulas::start_of;
  using typename Formulas::Work;

 public:
  // cppcheck-suppress uninitDerivedMemberVar ; references of the base, which is copied
  PadKernels(const Formulas& formulas, double axes) : Formulas(formulas), axes_(axes) {}

  Works<Number> works() const {
    switch (*problem.layer->pad_mode) {
      case PadMode::constant: return {fill(), copied()};
      case PadMode::circular: return circles();
      case PadMode::reflect: {
        Works<Number> works{by_places(eval(constants.pad.element_clock))};
        if (problem.nhwc) works.push_back(Formulas::input_in_planes());
        return works;
      }
      case PadMode::replicate: return {replicas()};
    }
    return {};
  }

 private:
  Work fill() const {
    Work work = start_of(constants.vectorized, Algorithm::vectorized_elementwise);
    work.streams = {0, problem.output_byte};
    return work;
  }

  /// The input, to its place in the result: its planes, and each padded axis in them.
  Work copied() const {
    Work work = indexed(1 + axes_, inputs());
    work.streams = {problem.input_byte, problem.input_byte};
    return work;
  }

  Works<Number> circles() const {
    Works<Number> works{problem.nhwc ? Formulas::input_in_planes() : copied()};
    const Shape& input = problem.layer->inputs.front().shape;
    const Shape& output = problem.layer->output;
    double run = 1;  // elements of an axis that are neighbours, with all axes behind it
    for (std::size_t axis = 3; axis-- > 0;) {
      const std::uint64_t size = output.spatial[axis];
      if (size > input.spatial[axis]) {
        const double side = static_cast<double>(size - input.spatial[axis]) / 2;
        const double places = problem.output_element / static_cast<double>(size) * side;
        works.insert(works.end(), 2, slice(places, run * side));
      }
      run *= static_cast<double>(size);
    }
    return works;
  }

  /// Runs of neighbours begin and end within sectors.
  Work slice(double places, double run) const {
    const double element = element_byte(problem.layer->dtypes.input);
    const double sectors = places / run * (std::ceil(run * element / sector_byte) + 1);
    Work work = indexed(1 + axes_, eval.named("elements of a side", places, "", "layer"));
    work.streams = {sectors * sector_byte, places * element};
    work.streams.again_byte = sectors * sector_byte;
    work.streams.between_byte = problem.output_byte;
    return work;
  }

  Work by_places(const Number& axis_clock) const {
    Work work = chain_of(constants.pad, Algorithm::pad_planes);
    const double planes = problem.batch * problem.channels;
    const double plane = problem.output_element / planes;
    work.blocks = planes * divide_up(plane, plane_block_threads);
    work.threads = plane_block_threads;
    const Number made = eval.named(
        "elements of whole warps",
        planes * round_up(plane, static_cast<double>(machine.sm.warp_size)), "", "layer");
    work.clocks = max({made * eval.named("padded axes", axes_, "", "layer") * axis_clock,
                       work.blocks * eval(constants.block_clock)});
    return work;
  }

  Work replicas() const {
    const Number axis_clock = eval(constants.pad.element_clock) * eval(constants.pad_replica_share);
    Work work = by_places(axis_clock);
    if (!problem.nhwc) return work;
    const double apart = problem.channels * element_byte(problem.layer->dtypes.input);
    Formulas::fetch_again(work, problem.output_element, apart);
    return work;
  }

  double axes_;
};

}  // namespace

template <class Number>
Works<Number> pad(const StreamFormulas<Number>& f, double axes) {
  return PadKernels<Number>(f, axes).works();
}

template Works<double> pad(const StreamFormulas<double>&, double);
template Works<Explained> pad(const StreamFormulas<Explained>&, double);

}  // namespace roofline
