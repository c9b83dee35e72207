#include "model/kernel/elementwise_kernel.hpp"

#include <bit>

#include "model/kernel/memory_traffic.hpp"
#include "model/kernel/plan_parts.hpp"
#include "model/kernel/pool_kernel.hpp"
#include "model/kernel/stream_cost.hpp"

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

StreamCost activation(const StreamProblem& p, const StreamingConstants& k) {
  StreamCost cost = cost_of(p.backward() ? k.vectorized_several : k.vectorized,
                            Algorithm::vectorized_elementwise, p);
  double clock = function_clock(p.layer->kind, k);
  if (p.backward()) {
    // Reads the saved operand beside the gradient; derivatives repeat the function and multiply.
    cost.streams = {2 * p.output_byte, p.input_byte};
    clock *= 1.4;
  }
  cost.clocks = clock * p.output_element;
  return cost;
}

bool same_shapes(const Layer& layer) {
  for (const Operand& operand : layer.inputs)
    if (!(operand.shape == layer.output)) return false;
  return true;
}

StreamCost combine(const StreamProblem& p, const StreamingConstants& k) {
  const bool same = same_shapes(*p.layer);
  StreamCost cost = same ? cost_of(k.vectorized_several, Algorithm::vectorized_elementwise, p)
                         : cost_of(k.broadcast, Algorithm::broadcast_elementwise, p);
  if (same) cost.clocks = k.simple_clock * p.output_element;
  if (p.backward()) {
    // add passes its gradient on; mul reads the other operand too.
    const bool product = p.layer->kind == LayerKind::mul;
    cost.streams = {p.output_byte + (product ? p.input_byte : 0), p.input_byte};
  }
  return cost;
}

StreamCost batch_norm(const StreamProblem& p, const StreamingConstants& k) {
  if (p.backward()) {
    // Two passes: sums of the gradient over each channel, then the gradient of the input.
    StreamCost cost = p.inner
                          ? cost_of(k.norm_backward_inner, Algorithm::batch_norm_backward_inner, p)
                          : cost_of(k.norm_backward_plane, Algorithm::batch_norm_backward_plane, p);
    cost.streams = {4 * p.input_byte, p.input_byte};
    cost.kernels = p.inner ? 3 : 1;
    return cost;
  }
  if (p.inner) {
    StreamCost cost = cost_of(k.norm_inner, Algorithm::bn_fw_inf_nhwc, p);
    // A block spans 32 channels, with at most 128 blocks over the positions: few channels leave
    // few blocks to keep bytes in flight.
    cost.blocks_resident = 128 * divide_up(p.channels, 32);
    return cost;
  }
  StreamCost cost = cost_of(k.norm_plane, Algorithm::bn_fw_inf_nchw, p);
  const double planes = p.batch * p.channels;
  cost.clocks = std::max(cost.clocks, k.norm_plane_clock * planes);
  cost.blocks = planes;
  // One block walks one plane, 512 elements a step.
  cost.rounds += divide_up(p.input_plane, 512) * 0.5;
  return cost;
}

/// PyTorch joins the operands in one kernel whose grid gives every operand as many blocks as the
/// largest one needs, up to 32 an SM; those that find nothing to copy still have to start. With
/// many small operands beside a large one the starting of blocks is the time.
StreamCost concat(const StreamProblem& p, const StreamingConstants& k) {
  StreamCost cost = p.inner ? cost_of(k.concat_inner, Algorithm::cat_copy_nhwc, p)
                            : cost_of(k.concat_plane, Algorithm::cat_copy_nchw, p);
  constexpr double elements_a_block = 512;
  double largest = 0;
  for (const Operand& operand : p.layer->inputs)
    largest = std::max(largest, element_count(operand.shape));
  const double grid = divide_up(largest, elements_a_block);
  cost.block_starts = static_cast<double>(p.layer->inputs.size());
  cost.blocks_a_start = grid;
  cost.block_clock = k.concat_block_clock;
  if (p.backward()) cost.streams = {p.output_byte, p.input_byte};
  return cost;
}

StreamCost global_average(const StreamProblem& p, const StreamingConstants& k) {
  if (p.backward()) {
    StreamCost cost = cost_of(k.broadcast, Algorithm::broadcast_elementwise, p);
    cost.streams = {p.output_byte, p.input_byte};
    cost.clocks = k.broadcast.element_clock * p.input_element;
    return cost;
  }
  StreamCost cost = p.inner ? cost_of(k.mean_inner, Algorithm::mean_reduce_nhwc, p)
                            : cost_of(k.mean_plane, Algorithm::mean_reduce_nchw, p);
  cost.clocks = cost.clocks / p.output_element * p.input_element;
  if (!p.inner) {
    cost.clocks = std::max(cost.clocks, k.mean_plane_clock * p.output_element);
  } else {
    // Each thread adds up positions of its channel in turn.
    cost.rounds += k.mean_row_round * std::min(p.input_plane, 1024.0) / 64;
  }
  return cost;
}

StreamCost upsample(const StreamProblem& p, const StreamingConstants& k) {
  StreamCost cost = p.inner ? cost_of(k.upsample_inner, Algorithm::upsample_nearest_nhwc, p)
                            : cost_of(k.upsample_plane, Algorithm::upsample_nearest_nchw, p);
  if (p.backward()) cost.streams = {p.output_byte, p.input_byte};
  return cost;
}

/// Rows of features: a warp or a block makes one row, so short rows pay for their reductions.
StreamCost softmax(const StreamProblem& p, const StreamingConstants& k) {
  const bool warp = p.channels <= 2048;
  StreamCost cost = warp ? cost_of(k.softmax_warp, Algorithm::softmax_warp, p)
                         : cost_of(k.softmax_block, Algorithm::softmax_block, p);
  // A lane of the warp holds every 32nd element of the row and walks them three times.
  cost.rounds += warp ? k.softmax_lane_round * divide_up(p.channels, 32)
                      : 3 * k.row_step_round * divide_up(p.channels, 8192);
  if (p.backward()) cost.streams = {2 * p.output_byte, p.input_byte};
  return cost;
}

StreamCost layer_norm(const StreamProblem& p, const StreamingConstants& k) {
  const double rows = p.input_element / p.channels;
  const bool ragged = std::fmod(p.channels, 4) != 0;
  const StreamKernel& kernel =
      p.backward() ? k.layer_norm_backward : (ragged ? k.layer_norm_ragged : k.layer_norm);
  StreamCost cost =
      cost_of(kernel, p.backward() ? Algorithm::layer_norm_backward : Algorithm::layer_norm, p);
  const double row_clock = p.backward()
                               ? k.layer_norm_backward_row_clock
                               : (ragged ? k.layer_norm_ragged_row_clock : k.layer_norm_row_clock);
  cost.clocks += row_clock * rows;
  cost.rounds += k.row_step_round * divide_up(p.channels, 512);
  cost.kernels = p.backward() || ragged ? 2 : 1;
  if (p.backward()) cost.streams = {2 * p.output_byte, p.input_byte};
  return cost;
}

StreamCost cost_of_layer(const StreamProblem& p, const StreamingConstants& k) {
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

KernelPlan plan_streaming(const Layer& layer, const Counts& counts, const ResolvedModel& model,
                          CacheState cache) {
  const StreamProblem problem = stream_problem(layer, counts);
  return plan_of(cost_of_layer(problem, model.library.streaming), model, cache);
}

}  // namespace roofline
