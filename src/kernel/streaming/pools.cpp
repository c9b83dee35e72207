// Max and average pools, forward and backward, as PyTorch runs them.
//
// Backward, each input element looks into every window over it: at most ceil(kernel / stride) per
// axis. A max pool compares the position kept by each. In NCHW a thread has one element of a plane;
// in NHWC threads in blocks of channels, columns and rows make several in turn; partly filled warps
// and blocks take as long as full ones. Without overlapping windows, an NHWC max pool writes only
// the maxima's places, after a kernel has cleared the tensor.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernel/streaming/stream_formulas.hpp"
#include "model/sizes.hpp"

namespace roofline {
namespace {

/// PyTorch's max pools always write the position of each maximum as a 64-bit integer.
constexpr double index_byte = 8;

/// The kernel of volumes makes a column a thread, whatever the layout.
bool is_volume_nhwc(const StreamProblem& problem) {
  return problem.nhwc && problem.layer->output.spatial_rank == 3;
}

/// PyTorch averages volumes in NCHW alone.
bool is_averaged_volume(const StreamProblem& problem, bool max_pool) {
  return !max_pool && !problem.backward() && problem.layer->output.spatial_rank == 3;
}

const PoolKernel& kernel_of(const StreamProblem& problem, const StreamingConstants& constants,
                            bool max_pool) {
  if (problem.backward()) {
    if (!max_pool) return constants.average_backward;
    return problem.nhwc ? constants.max_backward_nhwc : constants.max_backward_nchw;
  }
  if (max_pool && is_volume_nhwc(problem)) return constants.max_volume_nhwc;
  if (max_pool) return problem.nhwc ? constants.max_nhwc : constants.max_nchw;
  return problem.nhwc && !is_averaged_volume(problem, max_pool) ? constants.average_nhwc
                                                                : constants.average_nchw;
}

Algorithm algorithm_of(const StreamProblem& problem, bool max_pool) {
  if (max_pool) return problem.nhwc ? Algorithm::max_pool_nhwc : Algorithm::max_pool_nchw;
  return problem.nhwc && !is_averaged_volume(problem, max_pool) ? Algorithm::avg_pool_nhwc
                                                                : Algorithm::avg_pool_nchw;
}

/// The maximum number of windows over an element, taps on it or not: the steps of a warp's slowest
/// thread.
double covering_windows(const Window& window) {
  double windows = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint64_t extent = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
    windows *= static_cast<double>(ceil_div(extent, window.stride[axis]));
  }
  return windows;
}

/// PyTorch's channels-innermost max pools: blocks of up to 1024 threads over channels, columns and
/// rows; a thread takes up to four channels, two columns and two rows. At batch 1 this chain, not
/// the bytes, determines the time.
struct PoolGrid {
  double threads = 1;        ///< of all blocks
  double places = 1;         ///< made by a thread in turn
  double channel_steps = 1;  ///< at each place
  double channels = 1;       ///< of a thread, the mean
};

/// `fills_blocks`: blocks with few columns and rows have more threads over channels.
PoolGrid pool_grid(const Shape& shape, bool fills_blocks) {
  const std::uint64_t channels = shape.channels;
  const std::uint64_t columns = shape.spatial[2];
  const std::uint64_t rows = shape.spatial[1];
  std::uint64_t x = std::min<std::uint64_t>(std::bit_floor(channels), 32);
  const std::uint64_t y = std::min(std::bit_floor(columns), 1024 / x);
  const std::uint64_t z = std::min({std::bit_floor(rows), 1024 / x / y, std::uint64_t{64}});
  if (fills_blocks) x = std::min(std::bit_floor(channels), 1024 / y / z);
  const std::uint64_t channel_blocks = ceil_div(channels, x * 4);
  const std::uint64_t column_blocks = ceil_div(columns, y * 2);
  const std::uint64_t row_blocks = ceil_div(rows, z * 2);
  PoolGrid grid;
  grid.threads =
      static_cast<double>(shape.batch * channel_blocks * column_blocks * row_blocks * x * y * z);
  grid.places = static_cast<double>(ceil_div(ceil_div(columns, column_blocks), y) *
                                    ceil_div(ceil_div(rows, row_blocks), z));
  grid.channel_steps = static_cast<double>(ceil_div(channels, x * channel_blocks));
  grid.channels = static_cast<double>(channels) / static_cast<double>(x * channel_blocks);
  return grid;
}

template <class Number>
class PoolKernels : StreamFormulas<Number> {
  using Formulas = StreamFormulas<Number>;
  using Formulas::constants;
  using Formulas::eval;
  using Formulas::inputs;
  using Formulas::machine;
  using Formulas::outputs;
  using Formulas::problem;
  using Formulas::rates;
  using Formulas::start_of;
  using typename Formulas::Work;

 public:
  // cppcheck-suppress uninitDerivedMemberVar ; its members are references, which are copied
  explicit PoolKernels(const Formulas& formulas)
      : Formulas(formulas),
        max_pool_(formulas.problem.layer->kind == LayerKind::max_pool),
        kernel_(kernel_of(formulas.problem, formulas.constants, max_pool_)) {}

  Works<Number> works() const {
    if (!problem.backward()) {
      Works<Number> works{forward()};
      if (is_averaged_volume(problem, max_pool_) && problem.nhwc)
        works.push_back(Formulas::input_in_planes());
      return works;
    }
    if (!max_pool_) return {planes()};
    return {problem.nhwc ? places() : planes(), clearing()};
  }

 private:
  Work start() const {
    Work work = start_of(kernel_.start_s, algorithm_of(problem, max_pool_));
    const double index = max_pool_ ? index_byte * problem.output_element : 0;
    if (problem.backward())
      work.streams = {problem.output_byte + index, problem.input_byte};
    else
      work.streams.write_byte += index;
    return work;
  }

  Work forward() const {
    Work work = start();
    const Number taps = eval.named("taps", product(problem.layer->window->kernel), "", "window");
    PoolGrid grid;
    const bool in_blocks = max_pool_ && problem.nhwc && !is_volume_nhwc(problem);
    if (in_blocks) grid = pool_grid(problem.layer->output, false);
    const Number turns = eval.factor("outputs that a thread makes in turn",
                                     grid.places * grid.channel_steps, "", "layer");
    work.round_trips =
        turns * eval(kernel_.output_round_trip) + turns * taps * eval(kernel_.tap_round_trip);
    // In volumes a warp has columns of one row.
    const Shape& output = problem.layer->output;
    const double columns = static_cast<double>(output.spatial[2]);
    const bool in_rows =
        output.spatial_rank == 3 && (!problem.nhwc || is_averaged_volume(problem, max_pool_));
    const Number made =
        outputs() * eval.factor("columns of whole warps",
                                in_rows ? whole_warps(columns) / columns : 1, "", "layer");
    work.clocks = made * eval(kernel_.output_clock) + made * taps * eval(kernel_.tap_clock) +
                  problem.input_element * eval(kernel_.input_clock);
    if (in_blocks) {
      const Number looks = eval.named("outputs / channels that a thread has",
                                      problem.output_element / grid.channels, "", "layer");
      work.clocks = work.clocks + looks * taps * eval(kernel_.look_clock);
    }
    if (is_averaged_volume(problem, max_pool_))
      work.clocks = work.clocks * eval.factor("axes of a place / those of an image", 1.5);
    return work;
  }

  double whole_warps(double threads) const {
    return round_up(threads, static_cast<double>(machine.sm.warp_size));
  }

  Number windows() const {
    return eval.named("windows over an element", covering_windows(*problem.layer->window), "",
                      "window");
  }

  /// One thread per element. Only a max pool's warps end with a plane.
  Work planes() const {
    Work work = start();
    const Number covering = windows();
    const double planes = problem.batch * problem.channels;
    const Number made = eval.named(
        "elements of whole warps",
        max_pool_ ? planes * whole_warps(problem.input_positions) : problem.input_element, "",
        "layer");
    work.round_trips = eval(kernel_.output_round_trip) + covering * eval(kernel_.tap_round_trip);
    work.clocks = made * eval(kernel_.output_clock) + made * covering * eval(kernel_.tap_clock);
    return work;
  }

  Work places() const {
    Work work = start();
    const Number covering = windows();
    const PoolGrid grid = pool_grid(problem.layer->inputs.front().shape, true);
    const Number looks = eval.named("windows that threads look into",
                                    grid.threads * grid.places * covering, "", "layer");
    const Number channels = eval.named("channels of a thread", grid.channel_steps, "", "layer");
    work.clocks = looks * eval(kernel_.input_clock) + looks * channels * eval(kernel_.tap_clock) +
                  looks / covering * channels * eval(kernel_.output_clock);
    const Number turns = eval.named("places of a thread", grid.places, "", "layer");
    work.l2_round_trips = turns * covering * channels * eval(kernel_.tap_round_trip) +
                          turns * channels * eval(kernel_.output_round_trip);
    // Partly written sectors are fetched first.
    if (covering_windows(*problem.layer->window) == 1) work.streams.read_byte += problem.input_byte;
    return work;
  }

  Work clearing() const {
    Work work = start_of(constants.vectorized, Algorithm::vectorized_elementwise);
    work.streams = {0, problem.input_byte};
    return work;
  }

  bool max_pool_;
  const PoolKernel& kernel_;
};

}  // namespace

template <class Number>
Works<Number> pool(const StreamFormulas<Number>& f) {
  return PoolKernels<Number>(f).works();
}

template Works<double> pool(const StreamFormulas<double>&);
template Works<Explained> pool(const StreamFormulas<Explained>&);

}  // namespace roofline
