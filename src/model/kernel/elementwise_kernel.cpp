#include "model/kernel/elementwise_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "model/kernel/layer_sizes.hpp"
#include "model/kernel/pool_kernel.hpp"
#include "model/kernel/rounding.hpp"
#include "model/kernel/stream_problem.hpp"

namespace roofline {
namespace {

/// Clocks of an element's arithmetic. Sixteen-bit elements are widened, computed in fp32, narrowed.
double function_clock(LayerKind kind, const StreamingConstants& k) {
  switch (kind) {
    case LayerKind::sigmoid:
    case LayerKind::tanh:
    case LayerKind::silu: return k.exponential_clock;
    case LayerKind::gelu: return k.erf_clock;
    default: return k.simple_clock;
  }
}

ThroughputWork activation(const StreamProblem& p, const StreamingConstants& k) {
  ThroughputWork work = start_of(p.backward() ? k.vectorized_several : k.vectorized,
                                 Algorithm::vectorized_elementwise, p);
  double clock = function_clock(p.layer->kind, k);
  if (p.backward()) {
    clock *= 1.4;  // derivatives repeat the function and multiply
  }
  work.clocks.add("outputs", p.output_element, clock);
  return work;
}

bool same_shapes(const Layer& layer) {
  for (const Operand& operand : layer.inputs)
    if (!(operand.shape == layer.output)) return false;
  return true;
}

ThroughputWork combine(const StreamProblem& p, const StreamingConstants& k) {
  const bool same = same_shapes(*p.layer);
  ThroughputWork work = same ? start_of(k.vectorized_several, Algorithm::vectorized_elementwise, p)
                             : work_of(k.broadcast, Algorithm::broadcast_elementwise, p);
  if (same) work.clocks.add("outputs", p.output_element, k.simple_clock);
  return work;
}

/// One block walks one plane, 512 elements a step.
ThroughputWork batch_norm_plane(const StreamProblem& p, const StreamingConstants& k) {
  ThroughputWork work = work_of(k.norm_plane, Algorithm::bn_fw_inf_nchw, p);
  const double planes = p.batch * p.channels;
  if (k.norm_plane_clock * planes > work.clocks.total())
    work.clocks = Terms("planes", planes, k.norm_plane_clock);
  work.blocks = planes;
  work.busy = std::min(1.0, planes / p.machine->sm_count);
  work.rounds.add("steps along a plane", divide_up(p.input_plane, 512), 0.5);
  return work;
}

/// A batch norm that forms sums over a channel first. Columns innermost, a block has a channel, and
/// few channels keep little in flight.
ThroughputWork over_channels(const StreamProblem& p, const StreamKernel& kernel,
                             double channel_clock, Algorithm algorithm, const Streams& streams) {
  ThroughputWork work = work_of(kernel, algorithm, p);
  work.streams = streams;
  if (p.inner) {
    work.kernels = 2;
    return work;
  }
  work.blocks = p.channels;
  work.clocks.add("channels", p.channels, channel_clock);
  work.in_flight_byte = kernel.in_flight_byte * p.channels;
  work.busy = std::min(1.0, p.channels / p.machine->sm_count);
  return work;
}

ThroughputWork batch_norm(const StreamProblem& p, const StreamingConstants& k) {
  // Two passes: over the gradient and the saved input for the sums, then for the input's gradient.
  if (p.backward())
    return over_channels(
        p, p.inner ? k.norm_backward_inner : k.norm_backward_plane, k.norm_channel_clock,
        p.inner ? Algorithm::batch_norm_backward_inner : Algorithm::batch_norm_backward_plane,
        {4 * p.input_byte, p.input_byte});
  if (p.layer->batch_statistics)
    return over_channels(
        p, p.inner ? k.norm_statistics_inner : k.norm_statistics_plane, k.norm_channel_clock,
        p.inner ? Algorithm::batch_norm_training_inner : Algorithm::batch_norm_training_plane,
        {2 * p.input_byte, p.input_byte});
  if (!p.inner) return batch_norm_plane(p, k);
  ThroughputWork work = work_of(k.norm_inner, Algorithm::bn_fw_inf_nhwc, p);
  // A block spans 32 channels, with at most 128 blocks over the positions. Where that leaves fewer
  // than four an SM, the rates fall with the root of their number.
  const double resident = 128 * divide_up(p.channels, 32);
  work.filled = std::sqrt(std::min(1.0, resident / (4 * p.machine->sm_count)));
  return work;
}

/// PyTorch joins the operands in one kernel whose grid gives every operand as many blocks as the
/// largest one needs, up to 32 an SM; those that find nothing to copy still have to start. With
/// many small operands beside a large one the starting of blocks is the time.
ThroughputWork concat(const StreamProblem& p, const StreamingConstants& k) {
  ThroughputWork work = p.inner ? work_of(k.concat_inner, Algorithm::cat_copy_nhwc, p)
                                : work_of(k.concat_plane, Algorithm::cat_copy_nchw, p);
  constexpr double elements_a_block = 512;
  double largest = 0;
  for (const Operand& operand : p.layer->inputs)
    largest = std::max(largest, element_count(operand.shape));
  const double grid = std::min(divide_up(largest, elements_a_block), 32 * p.machine->sm_count);
  const auto operands = static_cast<double>(p.layer->inputs.size());
  work.floor_s.add("block starts", operands * grid,
                   k.concat_block_clock / p.machine->issue_clock_per_s);
  return work;
}

ThroughputWork global_average(const StreamProblem& p, const StreamingConstants& k) {
  if (p.backward()) {
    ThroughputWork work = start_of(k.broadcast, Algorithm::broadcast_elementwise, p);
    work.clocks.add("inputs", p.input_element, k.broadcast.element_clock);
    return work;
  }
  const StreamKernel& kernel = p.inner ? k.mean_inner : k.mean_plane;
  ThroughputWork work =
      start_of(kernel, p.inner ? Algorithm::mean_reduce_nhwc : Algorithm::mean_reduce_nchw, p);
  work.clocks.add("inputs", p.input_element, kernel.element_clock);
  if (p.inner) {
    // Each thread adds up positions of its channel in turn.
    work.rounds.add("positions in turn / 64", std::min(p.input_plane, 1024.0) / 64,
                    k.mean_row_round);
  } else if (k.mean_plane_clock * p.output_element > work.clocks.total()) {
    work.clocks = Terms("planes", p.output_element, k.mean_plane_clock);
  }
  return work;
}

ThroughputWork upsample(const StreamProblem& p, const StreamingConstants& k) {
  ThroughputWork work = p.inner ? work_of(k.upsample_inner, Algorithm::upsample_nearest_nhwc, p)
                                : work_of(k.upsample_plane, Algorithm::upsample_nearest_nchw, p);
  return work;
}

/// Rows of features: a warp or a block makes one row, so short rows pay for their reductions.
ThroughputWork softmax(const StreamProblem& p, const StreamingConstants& k) {
  const bool warp = p.channels <= 2048;
  ThroughputWork work = warp ? work_of(k.softmax_warp, Algorithm::softmax_warp, p)
                             : work_of(k.softmax_block, Algorithm::softmax_block, p);
  // A lane of the warp holds every 32nd element of the row and walks them three times.
  if (warp)
    work.rounds.add("elements of a lane", divide_up(p.channels, 32), k.softmax_lane_round);
  else
    work.rounds.add("steps along a row, three times", 3 * divide_up(p.channels, 8192),
                    k.row_step_round);
  return work;
}

ThroughputWork layer_norm(const StreamProblem& p, const StreamingConstants& k) {
  const double rows = p.input_element / p.channels;
  const bool ragged = std::fmod(p.channels, 4) != 0;
  const StreamKernel& kernel =
      p.backward() ? k.layer_norm_backward : (ragged ? k.layer_norm_ragged : k.layer_norm);
  ThroughputWork work =
      work_of(kernel, p.backward() ? Algorithm::layer_norm_backward : Algorithm::layer_norm, p);
  const double row_clock = p.backward()
                               ? k.layer_norm_backward_row_clock
                               : (ragged ? k.layer_norm_ragged_row_clock : k.layer_norm_row_clock);
  work.clocks.add("rows", rows, row_clock);
  work.rounds.add("steps along a row", divide_up(p.channels, 512), k.row_step_round);
  work.kernels = p.backward() || ragged ? 2 : 1;
  return work;
}

/// Compilers and engines write kernels that go over all operands once, whatever they compute; an
/// engine's pools do too, and keep no positions.
bool is_generated(const Layer& layer) {
  const bool pools = layer.kind == LayerKind::max_pool || layer.kind == LayerKind::avg_pool;
  switch (layer.kernels) {
    case KernelSource::library: return false;
    case KernelSource::compiler: return is_pointwise(layer.kind);
    case KernelSource::inference_engine: return is_pointwise(layer.kind) || pools;
  }
  return false;
}

ThroughputWork generated(const StreamProblem& p, const StreamingConstants& k) {
  ThroughputWork work = start_of(k.vectorized_several, Algorithm::vectorized_elementwise, p);
  work.clocks.add("outputs", p.output_element, function_clock(p.layer->kind, k));
  return work;
}

ThroughputWork work_of_layer(const StreamProblem& p, const StreamingConstants& k) {
  if (is_generated(*p.layer)) return generated(p, k);
  switch (p.layer->kind) {
    case LayerKind::add:
    case LayerKind::mul: return combine(p, k);
    case LayerKind::concat: return concat(p, k);
    case LayerKind::batch_norm: return batch_norm(p, k);
    case LayerKind::layer_norm: return layer_norm(p, k);
    case LayerKind::softmax: return softmax(p, k);
    case LayerKind::max_pool:
    case LayerKind::avg_pool: return pool(p, k);
    case LayerKind::global_avg_pool: return global_average(p, k);
    case LayerKind::upsample: return upsample(p, k);
    default: return activation(p, k);
  }
}

}  // namespace

ThroughputKernel streaming_kernel(const Layer& layer, const Counts& counts, Engine engine,
                                  const ResolvedModel& model, CacheState cache) {
  const StreamProblem problem = stream_problem(layer, counts, model.machine);
  const ThroughputWork work = work_of_layer(problem, model.constants->values.streaming);
  return timed(work, model, cache, flop_s_of(counts, model, engine));
}

}  // namespace roofline
