#include "model/kernel/convolution_problem.hpp"

#include "model/kernel/plan_parts.hpp"

namespace roofline {
namespace {

/// Mean number of window taps along one axis that fall inside the input, over all outputs.
double valid_taps_of_axis(const Window& window, std::size_t axis, std::uint64_t input,
                          std::uint64_t output) {
  const auto stride = static_cast<std::int64_t>(window.stride[axis]);
  const auto last_input = static_cast<std::int64_t>(input) - 1;
  const auto last_output = static_cast<std::int64_t>(output) - 1;
  std::int64_t pairs = 0;
  for (std::uint64_t tap = 0; tap < window.kernel[axis]; ++tap) {
    // Outputs o with 0 <= o * stride + offset <= last_input.
    const std::int64_t offset = static_cast<std::int64_t>(tap * window.dilation[axis]) -
                                static_cast<std::int64_t>(window.pad_begin[axis]);
    const std::int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
    if (offset > last_input) continue;
    const std::int64_t last = std::min(last_output, (last_input - offset) / stride);
    pairs += std::max<std::int64_t>(0, last - first + 1);
  }
  return static_cast<double>(pairs) / static_cast<double>(output);
}

}  // namespace

ConvolutionProblem convolution_problem(const Layer& layer, const Counts& counts,
                                       const ResolvedModel& model, CacheState cache) {
  const bool transposed = layer.kind == LayerKind::conv_transpose;
  const Shape& input = transposed ? layer.output : layer.inputs.front().shape;
  const Shape& output = transposed ? layer.inputs.front().shape : layer.output;
  ConvolutionProblem p;
  p.layer = &layer;
  p.input = &input;
  p.output = &output;
  p.model = &model;
  p.cache = cache;
  p.inner = channels_innermost(layer);
  p.element_byte = static_cast<double>(size_byte(layer.dtypes.input));
  p.half = p.element_byte <= 2;
  // The forward pass of a transposed convolution is the data gradient of the convolution between
  // the same two tensors, and the other way round.
  p.pass = static_cast<std::size_t>(layer.pass);
  if (transposed && p.pass < 2) p.pass = 1 - p.pass;
  p.batch = static_cast<double>(input.batch);
  p.groups = static_cast<double>(layer.groups);
  p.group_in = static_cast<double>(input.channels) / p.groups;
  p.group_out = static_cast<double>(output.channels) / p.groups;
  p.taps = window_taps(layer.window);
  p.stride = window_stride(layer.window);
  p.input_plane = spatial_size(input);
  p.output_plane = spatial_size(output);
  p.valid_taps = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double valid =
        valid_taps_of_axis(layer.window, axis, input.spatial[axis], output.spatial[axis]);
    p.valid_taps *= valid;
    if (axis < 2) p.valid_rows *= valid;
  }
  p.streams = streams_of(layer, counts);
  return p;
}

KernelPlan finish(const ConvolutionWork& work, const ConvolutionProblem& p) {
  const Machine& machine = p.model->machine;
  const MemorySystem& memory = p.model->memory;
  KernelPlan plan;
  plan.algorithm = work.algorithm;
  plan.kernels = static_cast<std::uint64_t>(work.kernels);
  plan.blocks = static_cast<std::uint64_t>(work.blocks);
  plan.threads = static_cast<std::uint64_t>(work.threads);
  if (work.blocks > 0) plan.waves = work.blocks / machine.sm_count;
  if (work.threads > 0)
    plan.occupancy =
        std::min(1.0, work.blocks * work.threads /
                          (machine.sm_count * machine.sm.max_warps * machine.sm.warp_size));
  plan.tile_utilization = work.tile_utilization;
  const Traffic traffic = memory_traffic(p.streams, memory, p.cache, work.reread_l2_byte);
  plan.l2_byte = traffic.l2_byte;
  plan.dram_read_byte = traffic.dram_read_byte;
  plan.dram_write_byte = traffic.dram_write_byte;
  plan.math_s = work.math_s;
  plan.l2_s = std::max(work.fetch_s, l2_time_s(p.streams, traffic, memory, work.efficiency));
  plan.dram_s = dram_time_s(p.streams, traffic, memory, p.cache, work.efficiency);
  plan.launch_s = work.kernels * memory.launch_s;
  finish_plan(plan, work.start_s,
              work.steps_s * memory.latency_scale + round_trip_s(p.streams, memory, p.cache));
  return plan;
}

KernelPlan plan_direct(const DirectKernel& kernel, Algorithm algorithm, double steps, double macs,
                       double outputs, const ConvolutionProblem& p, double reread_l2_byte) {
  ConvolutionWork work;
  work.algorithm = algorithm;
  work.start_s = kernel.start_s;
  work.steps_s = steps * kernel.step_s;
  work.math_s = (macs * kernel.mac_clock + outputs * kernel.output_clock) /
                p.model->machine.issue_clock_per_s;
  work.efficiency = kernel.efficiency;
  work.reread_l2_byte = reread_l2_byte;
  return finish(work, p);
}

}  // namespace roofline
