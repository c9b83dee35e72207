// Max and average pools, forward and backward, as PyTorch runs them.
//
// Backward, each input element looks into every window over it: at most ceil(kernel / stride) per
// axis. A max pool compares the position kept by each. In NCHW a thread has one element of a plane;
// in NHWC threads in blocks of channels, columns and rows make several in turn; partly filled warps
// and blocks take as long as full ones. Without overlapping windows, an NHWC max pool writes only
// the maxima's places, after a kernel has cleared the tensor.

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernel/streaming/stream_formulas.hpp"
#include "model/sizes.hpp"

namespace roofline {
namespace {

/// PyTorch's max pools always write the position of each maximum as a 64-bit integer.
constexpr double index_byte = 8;

const PoolKernel& kernel_of(const StreamProblem& p, const StreamingConstants& k, bool max_pool) {
  if (p.backward()) {
    if (!max_pool) return k.average_backward;
    return p.nhwc ? k.max_backward_nhwc : k.max_backward_nchw;
  }
  if (max_pool) return p.nhwc ? k.max_nhwc : k.max_nchw;
  return p.nhwc ? k.average_nhwc : k.average_nchw;
}

Algorithm algorithm_of(const StreamProblem& p, bool max_pool) {
  if (max_pool) return p.nhwc ? Algorithm::max_pool_nhwc : Algorithm::max_pool_nchw;
  return p.nhwc ? Algorithm::avg_pool_nhwc : Algorithm::avg_pool_nchw;
}

/// The maximum number of windows over an element: the steps of a warp's slowest thread.
double covering_windows(const Window& window) {
  double windows = 1;
  for (std::size_t axis = 0; axis < 3; ++axis)
    windows *= static_cast<double>(ceil_div(window.kernel[axis], window.stride[axis]));
  return windows;
}

/// PyTorch's channels-innermost max pools: blocks of up to 1024 threads over channels, columns and
/// rows; a thread takes up to four channels, two columns and two rows. At batch 1 this chain, not
/// the bytes, determines the time.
struct PoolGrid {
  double threads = 1;        ///< of all blocks
  double places = 1;         ///< made by a thread in turn
  double channel_steps = 1;  ///< at each place
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
  return grid;
}

template <class Eval>
class PoolKernels : StreamFormulas<Eval> {
  using Formulas = StreamFormulas<Eval>;
  using Formulas::eval;
  using Formulas::inputs;
  using Formulas::k;
  using Formulas::outputs;
  using Formulas::p;
  using Formulas::start_of;
  using typename Formulas::Number;
  using typename Formulas::Work;

 public:
  // cppcheck-suppress uninitDerivedMemberVar ; its members are references, which are copied
  explicit PoolKernels(const Formulas& formulas)
      : Formulas(formulas),
        max_pool_(formulas.p.layer->kind == LayerKind::max_pool),
        kernel_(kernel_of(formulas.p, formulas.k, max_pool_)) {}

  Works<Eval> works() const {
    if (!p.backward()) return {forward()};
    if (!max_pool_) return {planes()};
    return {p.nhwc ? places() : planes(), clearing()};
  }

 private:
  Work start() const {
    Work work = start_of(kernel_, algorithm_of(p, max_pool_));
    const double index = max_pool_ ? index_byte * p.output_element : 0;
    if (p.backward())
      work.streams = {p.output_byte + index, p.input_byte};
    else
      work.streams.write_byte += index;
    return work;
  }

  Work forward() const {
    Work work = start();
    const Number taps = eval.named("taps", product(p.layer->window->kernel), "", "window");
    PoolGrid grid;
    if (max_pool_ && p.nhwc) grid = pool_grid(p.layer->output, false);
    const Number turns = eval.factor("outputs that a thread makes in turn",
                                     grid.places * grid.channel_steps, "", "layer");
    work.round_trips =
        turns * eval(kernel_.output_round_trip) + turns * taps * eval(kernel_.tap_round_trip);
    // In volumes a warp has 32 columns of one row.
    const Shape& output = p.layer->output;
    const double columns = static_cast<double>(output.spatial[2]);
    const bool in_rows = output.spatial_rank == 3 && !p.nhwc;
    const Number made =
        outputs() * eval.factor("columns of whole warps",
                                in_rows ? std::ceil(columns / 32) * 32 / columns : 1, "", "layer");
    work.clocks = made * eval(kernel_.output_clock) + made * taps * eval(kernel_.tap_clock) +
                  p.input_element * eval(kernel_.input_clock);
    return work;
  }

  Number windows() const {
    return eval.named("windows over an element", covering_windows(*p.layer->window), "", "window");
  }

  /// One thread per element. Only a max pool's warps end with a plane.
  Work planes() const {
    Work work = start();
    const Number covering = windows();
    const double planes = p.batch * p.channels;
    const Number made = eval.named(
        "elements of whole warps",
        max_pool_ ? planes * std::ceil(p.input_positions / 32) * 32 : p.input_element, "", "layer");
    work.round_trips = eval(kernel_.output_round_trip) + covering * eval(kernel_.tap_round_trip);
    work.clocks = made * eval(kernel_.output_clock) + made * covering * eval(kernel_.tap_clock);
    return work;
  }

  Work places() const {
    Work work = start();
    const Number covering = windows();
    const PoolGrid grid = pool_grid(p.layer->inputs.front().shape, true);
    const Number looks = eval.named("windows that threads look into",
                                    grid.threads * grid.places * covering, "", "layer");
    const Number channels = eval.named("channels of a thread", grid.channel_steps, "", "layer");
    work.clocks = looks * eval(kernel_.input_clock) + looks * channels * eval(kernel_.tap_clock) +
                  looks / covering * channels * eval(kernel_.output_clock);
    const Number turns = eval.named("places of a thread", grid.places, "", "layer");
    work.l2_round_trips = turns * covering * channels * eval(kernel_.tap_round_trip) +
                          turns * channels * eval(kernel_.output_round_trip);
    if (covering_windows(*p.layer->window) == 1) {
      // Partly written sectors are fetched first.
      work.streams.read_byte += p.input_byte;
      work.clocks = work.clocks + looks * channels * eval(k.max_backward_lone_clock);
    }
    return work;
  }

  Work clearing() const {
    Work work = start_of(k.vectorized, Algorithm::vectorized_elementwise);
    work.streams = {0, p.input_byte};
    work.clocks = inputs() * eval(k.simple_clock);
    return work;
  }

  bool max_pool_;
  const PoolKernel& kernel_;
};

}  // namespace

template <class Eval>
Works<Eval> pool(const StreamFormulas<Eval>& f) {
  return PoolKernels<Eval>(f).works();
}

template Works<Planning> pool(const StreamFormulas<Planning>&);
template Works<Explaining> pool(const StreamFormulas<Explaining>&);

}  // namespace roofline
