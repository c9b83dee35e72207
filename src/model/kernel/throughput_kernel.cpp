#include "model/kernel/throughput_kernel.hpp"

#include <algorithm>
#include <cmath>

namespace roofline {
namespace {

/// Little's law: what is in flight, over the time that it takes.
double fed_share(double in_flight_byte, double latency_s, double byte_per_s) {
  return in_flight_byte > 0 ? std::min(1.0, in_flight_byte / (latency_s * byte_per_s)) : 1;
}

void set_bound(ThroughputTime& time) {
  time.bound = Limiter::math;
  time.bound_s = time.compute_s;
  if (time.l2_s > time.bound_s) time.bound = Limiter::l2, time.bound_s = time.l2_s;
  if (time.dram_s > time.bound_s) time.bound = Limiter::dram, time.bound_s = time.dram_s;
}

}  // namespace

ThroughputKernel timed(const ThroughputWork& work, const ResolvedModel& model, CacheState cache,
                       double flop_s) {
  const Machine& machine = model.machine;
  const MemorySystem& memory = model.memory;
  ThroughputTime time;
  time.flop_s = flop_s;
  time.traffic = memory_traffic(work.streams, memory, cache, work.reread_l2_byte);
  time.issue_s = work.clocks.total() / machine.issue_clock_per_s + work.flop / work.flop_per_s;
  time.compute_s =
      std::max(time.issue_s * work.idle / (work.busy * work.filled), work.floor_s.total()) +
      work.serial_s.total();
  time.l2_request_s = l2_time_s(work.streams, time.traffic, memory);
  time.l2_fed = fed_share(work.in_flight_byte, memory.l2_latency_s, memory.l2_byte_per_s);
  time.dram_fed = fed_share(work.in_flight_byte, memory.dram_latency_s, memory.dram_byte_per_s);
  time.l2_s = std::max(time.l2_request_s * work.moves / (time.l2_fed * work.filled * work.busy),
                       work.fetch_byte / work.fetch_byte_per_s);
  time.dram_byte = timed_dram_byte(work.streams, time.traffic, cache);
  time.dram_s =
      time.dram_byte * work.moves / (memory.dram_byte_per_s * time.dram_fed * work.filled);
  set_bound(time);
  time.far_share = far_share(work.streams, memory, cache);
  time.round_trip_s = round_trip_s(work.streams, memory, cache);
  time.copy_s = work.copy_clocks.total() / machine.issue_clock_per_s;
  time.chain_s = work.rounds.total() * time.round_trip_s +
                 work.steps.total() * memory.l2_latency_s + time.copy_s;
  time.busy_s = overlapped_s(time.bound_s, time.chain_s);
  time.launch_s = work.kernels * memory.launch_s;
  return {work, time, time.launch_s + work.start_s + time.busy_s};
}

KernelPlan plan_of(const ThroughputKernel& kernel, const Machine& machine) {
  const ThroughputWork& work = kernel.work;
  const Traffic& traffic = kernel.time.traffic;
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
  plan.tile_utilization = work.useful_share;
  plan.wave_utilization = work.busy / work.idle;
  plan.l2_byte = traffic.l2_byte;
  plan.dram_read_byte = traffic.dram_read_byte;
  plan.dram_write_byte = traffic.dram_write_byte;
  set_time(plan, parts_of<TimeParts>(kernel));
  return plan;
}

double flop_s_of(const Counts& counts, const ResolvedModel& model, Engine engine) {
  const std::optional<EngineModel>& resolved = engine_model(model, engine);
  return resolved ? static_cast<double>(counts.flops) / sustained_flop_per_s(*resolved) : 0;
}

}  // namespace roofline
