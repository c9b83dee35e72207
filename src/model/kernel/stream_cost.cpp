#include "model/kernel/stream_cost.hpp"

#include "model/kernel/plan_parts.hpp"

namespace roofline {

StreamProblem stream_problem(const Layer& layer, const Counts& counts) {
  const Shape& input = layer.inputs.front().shape;
  StreamProblem p;
  p.layer = &layer;
  p.inner = channels_innermost(layer);
  p.batch = static_cast<double>(input.batch);
  p.channels = static_cast<double>(input.channels);
  p.input_plane = spatial_size(input);
  p.output_plane = spatial_size(layer.output);
  p.input_element = element_count(input);
  p.output_element = element_count(layer.output);
  p.input_byte = static_cast<double>(counts.bytes.input);
  p.output_byte = static_cast<double>(counts.bytes.output);
  p.streams = {p.input_byte + static_cast<double>(counts.bytes.weight), p.output_byte};
  return p;
}

StreamCost cost_of(const StreamKernel& kernel, Algorithm algorithm, const StreamProblem& p) {
  StreamCost cost;
  cost.algorithm = algorithm;
  cost.start_s = kernel.start_s;
  cost.rounds = kernel.rounds;
  cost.clocks = kernel.element_clock * p.output_element;
  cost.efficiency = kernel.efficiency;
  cost.streams = p.streams;
  return cost;
}

KernelPlan plan_of(const StreamCost& cost, const ResolvedModel& model, CacheState cache) {
  const Machine& machine = model.machine;
  const MemorySystem& memory = model.memory;
  KernelPlan plan;
  plan.algorithm = cost.algorithm;
  plan.kernels = static_cast<std::uint64_t>(cost.kernels);
  plan.blocks = static_cast<std::uint64_t>(cost.blocks);
  const Traffic traffic = memory_traffic(cost.streams, memory, cache);
  plan.l2_byte = traffic.l2_byte;
  plan.dram_read_byte = traffic.dram_read_byte;
  plan.dram_write_byte = traffic.dram_write_byte;
  const double busy = cost.blocks > 0 ? std::min(1.0, cost.blocks / machine.sm_count) : 1;
  plan.wave_utilization = busy;
  const double filled =
      cost.blocks_resident > 0
          ? std::sqrt(std::min(1.0, cost.blocks_resident / (4 * machine.sm_count)))
          : 1;
  const double efficiency = cost.efficiency * filled;
  plan.math_s = cost.clocks / machine.issue_clock_per_s / (busy * filled);
  plan.l2_s = l2_time_s(cost.streams, traffic, memory, efficiency * busy);
  plan.dram_s = dram_time_s(cost.streams, traffic, memory, cache, efficiency);
  plan.launch_s = cost.kernels * memory.launch_s;
  const double starts = cost.block_starts * std::min(cost.blocks_a_start, 32 * machine.sm_count);
  plan.math_s = std::max(plan.math_s, starts * cost.block_clock / machine.issue_clock_per_s);
  finish_plan(plan, cost.start_s, cost.rounds * round_trip_s(cost.streams, memory, cache));
  return plan;
}

}  // namespace roofline
