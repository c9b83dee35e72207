// Sums, means and maxima over some axes, all by one PyTorch kernel (ATen/native/cuda/Reduce.cuh):
// threads walk along the reduced axes, four loads at a time, at most 512 threads per block. If few
// results leave the GPU empty, several blocks share one, and the last block to end adds the others'
// results.
//
// Example: the column sums of 65,536 x 256 in fp32, four columns per thread: 2 x 1024 blocks of 32
// x 4 threads, 16 elements each, and then 1024 / 4 = 256 partial sums one after the other.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/streaming/stream_formulas.hpp"

namespace roofline {
namespace {

constexpr double most_threads = 512;
constexpr double vector_elements = 4;
/// Elements of non-adjacent axes are loaded singly, with a division each: on an H100, four take as
/// long as three steps of four.
constexpr double apart_steps = 3;

/// Adjacent axes, all reduced or all kept, as one.
struct ReducedRun {
  double size = 1;
  bool reduced = false;
};

using AxisSizes = std::vector<std::uint64_t>;

/// Outermost first, in memory order: the shape's order, unless channels are stated innermost.
AxisSizes sizes_in_memory(const Shape& shape, bool channels_last) {
  AxisSizes sizes{shape.batch, shape.channels};
  for (std::size_t i = 3U - shape.spatial_rank; i < 3; ++i) sizes.push_back(shape.spatial[i]);
  if (channels_last) std::rotate(sizes.begin() + 1, sizes.begin() + 2, sizes.end());
  return sizes;
}

/// 1 if reduced. A source may omit a batch of one, or reduced axes: the first matching sizes stay.
AxisSizes sizes_left(const AxisSizes& from, AxisSizes to) {
  if (to.size() < from.size() && from.front() == 1) to.insert(to.begin(), 1);
  if (to.size() == from.size()) return to;
  AxisSizes left(from.size(), 1);
  std::erase(to, 1U);
  std::size_t next = 0;
  for (std::size_t i = 0; i < from.size() && next < to.size(); ++i)
    if (from[i] == to[next]) left[i] = to[next++];
  return left;
}

std::vector<ReducedRun> reduced_runs_of(const Layer& layer) {
  const bool channels_last =
      layer.kind == LayerKind::reduce ? layer.layout == Layout::nhwc : is_nhwc(layer);
  const AxisSizes from = sizes_in_memory(layer.inputs.front().shape, channels_last);
  const AxisSizes to = sizes_left(from, sizes_in_memory(layer.output, channels_last));
  std::vector<ReducedRun> runs;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 1) continue;
    const bool reduced = to[i] < from[i];
    if (runs.empty() || runs.back().reduced != reduced) runs.push_back({1, reduced});
    runs.back().size *= static_cast<double>(from[i]);
  }
  return runs;
}

double power_of_two_within(double value) {
  return static_cast<double>(std::bit_floor(static_cast<std::uint64_t>(std::max(1.0, value))));
}

/// Number of blocks sharing a result, to fill the GPU with at least 16 elements per thread.
double sharing_blocks(double blocks, double threads, double elements_a_thread,
                      const Machine& machine) {
  const double resident =
      std::floor(machine.sm.max_warps * machine.sm.warp_size / threads) * machine.sm_count;
  if (elements_a_thread < 256 || blocks > resident) return 1;
  return std::max(std::min(divide_up(resident, blocks), divide_up(elements_a_thread, 16)),
                  divide_up(elements_a_thread, 256));
}

}  // namespace

ReductionGrid reduction_grid(const Layer& layer, const Machine& machine) {
  const std::vector<ReducedRun> runs = reduced_runs_of(layer);
  double reduced = 1;
  double kept = 1;
  int reduced_runs = 0;
  for (const ReducedRun& run : runs) {
    (run.reduced ? reduced : kept) *= run.size;
    reduced_runs += run.reduced ? 1 : 0;
  }
  const bool along_rows = runs.empty() || runs.back().reduced;
  // Vectors along a row, or over neighbouring results.
  double reduced_vector = 1;
  double kept_vector = 1;
  if (along_rows && reduced_runs <= 1 && reduced >= 128) reduced_vector = vector_elements;
  if (!along_rows && std::fmod(runs.back().size, vector_elements) == 0)
    kept_vector = vector_elements;

  const double warp_threads = machine.sm.warp_size;
  const double most = most_threads / kept_vector;
  const double fast =
      power_of_two_within(along_rows ? reduced / reduced_vector : kept / kept_vector);
  const double slow = power_of_two_within(along_rows ? kept : reduced);
  double x = std::min(fast, warp_threads);
  const double y = std::min(slow, most / x);
  x = std::min(fast, most / y);

  double along = along_rows ? x : 1;  // threads of a block sharing a result
  double results = along_rows ? 1 : x * kept_vector;
  if (const double left = divide_up(reduced, along); left >= y * 16 || left >= 256)
    along *= y;
  else
    results *= y;

  ReductionGrid grid;
  grid.threads = x * y;
  grid.blocks = divide_up(kept, results);
  double elements = divide_up(reduced, along);
  const double sharing = sharing_blocks(grid.blocks, grid.threads, elements, machine);
  if (sharing > 1) grid.partial_steps = divide_up(sharing, along_rows ? grid.threads : y);
  grid.blocks *= sharing;
  elements = divide_up(elements, sharing);
  grid.steps = divide_up(elements, vector_elements) * (reduced_runs > 1 ? apart_steps : 1);
  grid.loads = kept * reduced / (reduced_vector * kept_vector);
  return grid;
}

template <class Number>
KernelWork<Number> reduction(const StreamFormulas<Number>& f, const Layer& layer,
                             const Streams& streams) {
  const ReductionKernel& kernel = f.constants.reduction;
  Eval<Number>& eval = f.eval;
  const ReductionGrid grid = reduction_grid(layer, f.machine);
  auto work = f.start_of(kernel, Algorithm::reduction);
  work.streams = streams;
  work.blocks = grid.blocks;
  work.threads = grid.threads;
  const Number warps = eval.named(
      "warps", grid.blocks * std::max(1.0, grid.threads / f.machine.sm.warp_size), "", "layer");
  const Number loads = eval.named("loads", grid.loads, "", "layer");
  work.clocks = warps * eval(kernel.warp_clock) + loads * eval(kernel.load_clock);
  const Number steps = eval.named("steps of a thread", grid.steps, "", "layer");
  work.l2_round_trips = steps * eval(kernel.step_round_trip);
  if (grid.partial_steps > 0) {
    // A counter in memory identifies the last block; it is cleared first.
    work.kernels = 2;
    const Number partial =
        eval.named("partial results of a thread", grid.partial_steps, "", "layer");
    work.l2_round_trips = work.l2_round_trips + eval(kernel.meeting_round_trip) +
                          partial * eval(kernel.partial_round_trip);
  }
  return work;
}

template KernelWork<double> reduction(const StreamFormulas<double>&, const Layer&, const Streams&);
template KernelWork<Explained> reduction(const StreamFormulas<Explained>&, const Layer&,
                                         const Streams&);

}  // namespace roofline
