// Softmax, as PyTorch runs it (ATen/native/cuda/SoftMax.cu). A row whose elements are neighbours is
// made by a warp, which holds it in registers, or by a block. Elements that lie apart, as the
// channels of an image do, are walked by a thread a position, one after the other and three times:
// for the maximum, the sum and the results. Few positions are shared by threads along the row.
//
// Example (H100): 1024 channels at 1000 positions are one block, and 3072 steps of 0.19 us.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernel/streaming/stream_formulas.hpp"

namespace roofline {
namespace {

constexpr double most_block_threads = 1024;
/// Blocks of no more positions share them where a row is no shorter.
constexpr double few_positions = 64;
constexpr double walks_of_a_row = 3;
constexpr std::uint32_t position_registers = 40;

struct PositionGrid {
  double positions = 1;  ///< threads of a block over positions
  double along = 1;      ///< and along a row
  double blocks = 1;     ///< resident ones
  double turns = 1;      ///< of the busiest block

  double threads() const { return positions * along; }
};

PositionGrid position_grid(double images, double row, double positions, const Machine& machine) {
  PositionGrid grid;
  grid.positions = std::min(positions, most_block_threads);
  if (grid.positions <= few_positions && row >= few_positions)
    while (2 * grid.threads() <= most_block_threads && 2 * grid.along <= row) grid.along *= 2;
  const double warp = machine.sm.warp_size;
  const auto threads = static_cast<std::uint32_t>(round_up(grid.threads(), warp));
  const auto of_an_sm = occupancy(machine.sm, {threads, position_registers, 0}).blocks;
  const double resident = std::max(1.0, static_cast<double>(of_an_sm)) * machine.sm_count;
  const double tiles = images * divide_up(positions, grid.positions);
  grid.blocks = std::min(tiles, resident);
  grid.turns = divide_up(tiles, resident);
  return grid;
}

template <class Number>
class SoftmaxKernels : StreamFormulas<Number> {
  using Formulas = StreamFormulas<Number>;
  using Formulas::constants;
  using Formulas::eval;
  using Formulas::inputs;
  using Formulas::machine;
  using Formulas::problem;
  using Formulas::start_of;
  using Formulas::work_of;
  using typename Formulas::Work;

 public:
  // cppcheck-suppress uninitDerivedMemberVar ; its members are references, which are copied
  explicit SoftmaxKernels(const Formulas& formulas) : Formulas(formulas) {}

  Works<Number> works() const {
    if (problem.layer->access != Access::transposed || problem.backward()) return {of_rows()};
    Works<Number> works{of_positions()};
    if (problem.layer->layout == Layout::nhwc) works.push_back(Formulas::input_in_planes());
    return works;
  }

 private:
  /// The second walk, for results. In between, other blocks read their rows and write some results.
  void walk_again(Streams& streams, double rows) const {
    const double vectors = problem.channels * element_byte(problem.layer->dtypes.input) / 16;
    const double threads = std::exp2(std::ceil(std::log2(std::min(1024.0, vectors) / 2)));
    const double resident = machine.sm.max_warps * machine.sm.warp_size / threads;
    streams.again_byte = constants.softmax_again * problem.input_byte;
    streams.between_byte = std::min(1.0, resident * machine.sm_count / rows) *
                           (streams.read_byte + streams.write_byte / (1 + constants.softmax_again));
  }

  /// Rows of features: a warp or a block makes one row, so short rows pay for their reductions.
  Work of_rows() const {
    const bool warp = problem.channels <= constants.softmax_warp_elements;
    Work work = warp ? work_of(constants.softmax_warp, Algorithm::softmax_warp)
                     : work_of(constants.softmax_block, Algorithm::softmax_block);
    if (!warp) {
      const Number rows = eval.named("rows", problem.input_element / problem.channels, "", "layer");
      work.clocks = work.clocks + rows * eval(constants.softmax_row_clock);
      if (!problem.backward()) walk_again(work.streams, value_of(rows));
    }
    if (problem.backward()) {
      // PyTorch multiplies gradient and result in a separate kernel first.
      work.streams = {4 * problem.input_byte, 2 * problem.input_byte};
      work.kernels = 2;
    }
    const Number row = eval.named("elements of a row", problem.channels, "", "layer");
    // A lane of the warp holds its part of the row and walks it three times.
    work.round_trips = work.round_trips +
                       (warp ? divide_up(row, static_cast<double>(machine.sm.warp_size)) *
                                   eval(constants.softmax_lane_round_trip)
                             : 3 * divide_up(row, 8192) * eval(constants.broadcast.round_trips));
    return work;
  }

  /// The second and third walk find in L1 what all blocks of an SM walk, if it fits there; else
  /// they go as far as the first.
  Work of_positions() const {
    const PositionGrid grid =
        position_grid(problem.batch, problem.channels, problem.input_positions, machine);
    const double element = element_byte(problem.layer->dtypes.input);
    const double block_byte = grid.positions * problem.channels * element;
    const double of_an_sm = std::max(1.0, grid.blocks / machine.sm_count);
    const bool in_l1 = block_byte * of_an_sm <= machine.sm.shared_byte;

    Work work = start_of(constants.softmax_block, Algorithm::softmax_positions);
    work.in_flight_byte = 0;
    work.clocks = inputs() * eval(constants.softmax_block.element_clock);
    work.blocks = grid.blocks;
    work.threads = grid.threads();
    const Number steps = eval.named(
        "steps of a walk", grid.turns * divide_up(problem.channels, grid.along), "", "layer");
    const Number walk = steps * eval(constants.softmax_step_round_trip);
    const double again = walks_of_a_row - 1;
    work.l2_round_trips = walks_of_a_row * steps * of_threads(grid, element);
    if (grid.along > 1) work.l2_round_trips = work.l2_round_trips + 1;  // partial results
    if (in_l1) {
      work.round_trips = walk;
      work.l2_round_trips = work.l2_round_trips + again * walk * eval(constants.softmax_near_share);
    } else {
      work.round_trips = walks_of_a_row * walk;
      work.streams.again_byte = again * problem.input_byte;
      work.streams.between_byte = grid.blocks * block_byte;
    }
    return work;
  }

  /// Time of a step beside its round trip: by a block's threads, and by the lines that warps ask
  /// for whose threads go along a row, a channel apart.
  Number of_threads(const PositionGrid& grid, double element) const {
    const double share = grid.threads() / most_block_threads;
    Number threads = share * eval(constants.softmax_threads_round_trip);
    if (grid.along == 1) return threads;
    const double warp = machine.sm.warp_size;
    const double lines = std::min(warp, grid.along) *
                         std::min(1.0, problem.input_positions * element / line_byte) *
                         divide_up(grid.threads(), warp);
    return threads + lines * eval(constants.softmax_line_round_trip);
  }
};

}  // namespace

template <class Number>
Works<Number> softmax(const StreamFormulas<Number>& f) {
  return SoftmaxKernels<Number>(f).works();
}

template Works<double> softmax(const StreamFormulas<double>&);
template Works<Explained> softmax(const StreamFormulas<Explained>&);

}  // namespace roofline
