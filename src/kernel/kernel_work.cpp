#include "kernel/kernel_work.hpp"

#include <algorithm>
#include <cstdint>

namespace roofline {
namespace {

/// Little's law: bytes in flight / latency is a rate, combined with the memory's like two
/// independent delays (measurements in configs/kernels/README.md).
template <class Number>
Number fed_share(const char* quantity, const Number& in_flight_byte, const double& latency_s,
                 const Number& byte_per_s, Eval<Number>& eval) {
  if (!(in_flight_byte > 0)) return 1;
  return eval.factor(quantity, 1 / hypot(Number(1), eval(latency_s) * byte_per_s / in_flight_byte));
}

/// Few blocks first leave rates unfilled, then SMs empty; waves leave SMs idle at the end.
template <class Number>
void add_gaps(TimeParts<Number>& parts, const Number& time_s, const Number& filled,
              const Number& idle) {
  const Number unfilled_s = time_s / filled;
  parts.add(Limiter::occupancy, unfilled_s - time_s);
  parts.add(Limiter::last_wave, unfilled_s * idle - unfilled_s);
}

/// Divides a memory's time between its rate and too few bytes in flight.
template <class Number>
void add_memory(TimeParts<Number>& parts, Limiter memory, const Number& time_s, const Number& fed) {
  const Number own_s = time_s * fed * fed;
  parts.add(memory, own_s);
  parts.add(Limiter::in_flight, time_s - own_s);
}

template <class Number>
void add_bound(TimeParts<Number>& parts, const KernelWork<Number>& work,
               const KernelTime<Number>& time, const Number& flop_s, Eval<Number>& eval) {
  if (time.bound == Limiter::math) {
    const Number idle = time.idle / work.busy;
    add_issue(parts, time.issue_s, work.useful_share, flop_s, eval);
    add_gaps(parts, time.issue_s, work.filled, idle);
    parts.add(Limiter::latency, time.compute_s - time.issue_s / work.filled * idle);
  } else if (time.bound == Limiter::l2) {
    const Number fed_s = time.l2_request_s * work.moves / time.l2_fed;
    add_memory(parts, Limiter::l2, fed_s, time.l2_fed);
    add_gaps(parts, fed_s, work.filled, 1 / work.busy);
    parts.add(Limiter::l2, time.l2_s - fed_s / (work.filled * work.busy));
  } else {
    add_memory(parts, Limiter::dram, time.dram_s, time.dram_fed);
  }
}

/// Time of what the SMs issue.
template <class Number>
void add_compute(KernelTime<Number>& time, const KernelWork<Number>& work,
                 const MachineRates<Number>& rates, Eval<Number>& eval) {
  time.issue_s =
      eval.named("instructions issued",
                 work.clocks / rates.issue_clock_per_s + work.flop / work.flop_per_s, "s");
  time.idle = work.idle;
  // Idle SMs leave their power to others.
  if (work.least_s > time.issue_s) {
    time.idle = max({1, time.issue_s * work.idle / work.least_s});
    time.issue_s = work.least_s;
  }
  time.compute_s = eval.named(
      "compute",
      max({time.issue_s * time.idle / (work.busy * work.filled), work.floor_s}) + work.serial_s,
      "s");
}

template <class Number>
void add_memory_time(KernelTime<Number>& time, const KernelWork<Number>& work,
                     const MachineRates<Number>& rates, const MemorySystem& memory,
                     CacheState cache, Eval<Number>& eval) {
  time.traffic = memory_traffic(work.streams, work.reread_byte, memory, cache, eval);
  if (work.passes_l2) {
    const Number l2_rate = l2_byte_per_s(memory, rates, eval);
    time.l2_request_s = l2_request_s(work.streams, time.traffic, l2_rate, memory, eval);
    time.l2_fed = fed_share("share of the L2's rate that the bytes in flight fill",
                            work.in_flight_byte, memory.constants->l2_latency_s, l2_rate, eval);
  }
  if (work.passes_l2 || work.fetch_byte > 0)
    time.l2_s =
        eval.named("L2",
                   max({time.l2_request_s * work.moves / (time.l2_fed * work.filled * work.busy),
                        work.fetch_byte / work.fetch_byte_per_s}),
                   "s");
  const Number dram_rate = dram_byte_per_s(memory, eval);
  time.dram_fed = fed_share("share of DRAM's rate that the bytes in flight fill",
                            work.in_flight_byte * work.filled, memory.constants->dram_latency_s,
                            dram_rate, eval);
  time.dram_s = eval.named(
      "DRAM", time.traffic.timed_dram_byte * work.moves / (dram_rate * time.dram_fed), "s");
}

/// Steps that wait for each other.
template <class Number>
void add_chain(KernelTime<Number>& time, const KernelWork<Number>& work,
               const MachineRates<Number>& rates, const MemorySystem& memory, Eval<Number>& eval) {
  const Number round_trip = round_trip_s(time.traffic.far_share, memory, eval);
  const Number l2_round_trip = eval(memory.constants->l2_latency_s);
  time.copy_s = eval.summand("layout changes", work.copy_clocks / rates.issue_clock_per_s, "s");
  time.chain_s = eval.named(
      "chain", work.round_trips * round_trip + work.l2_round_trips * l2_round_trip + time.copy_s,
      "s");
}

}  // namespace

template <class Number>
KernelTime<Number> work_time(const KernelWork<Number>& work, const MachineRates<Number>& rates,
                             const MemorySystem& memory, CacheState cache, Eval<Number>& eval) {
  KernelTime<Number> time;
  if (!work.timed) add_compute(time, work, rates, eval);
  add_memory_time(time, work, rates, memory, cache, eval);
  if (work.timed) {
    time.bound = time.dram_s < time.l2_s ? Limiter::l2 : Limiter::dram;
    time.bound_s = max({time.dram_s, time.l2_s});
    time.chain_s = work.timed->time_s;
    time.busy_s = time.chain_s;
    if (time.bound_s > 0)
      time.busy_s =
          eval.named("kernels and memory, overlapping", hypot(time.chain_s, time.bound_s), "s");
  } else {
    time.bound = time.dram_s > max({time.compute_s, time.l2_s}) ? Limiter::dram
                 : time.l2_s > time.compute_s                   ? Limiter::l2
                                                                : Limiter::math;
    time.bound_s = eval.named("longest", max({time.compute_s, time.l2_s, time.dram_s}), "s");
    add_chain(time, work, rates, memory, eval);
    time.busy_s = eval.named("longest and chain", hypot(time.bound_s, time.chain_s), "s");
  }
  time.launch_s = eval.named(
      work.timed ? "first launch" : "launches",
      work.kernels / work.streams_used * eval.sourced(memory.launch_s, memory.launch_origin) +
          work.more_launch_s,
      "s");
  return time;
}

template <class Number>
TimeParts<Number> busy_parts(const KernelWork<Number>& work, const KernelTime<Number>& time,
                             const Number& flop_s, Eval<Number>& eval) {
  TimeParts<Number> parts;
  if (work.timed) {
    parts = work.timed->parts;
    if (!(time.bound_s > 0)) return parts;
    parts.scale(eval.named("kernels' part of themselves", time.chain_s / time.busy_s));
    parts.add(time.bound, time.bound_s / time.busy_s * time.bound_s);
    return parts;
  }
  add_bound(parts, work, time, flop_s, eval);
  if (time.busy_s > 0) parts.scale(time.bound_s / time.busy_s);
  const Number exposed_s = time.busy_s > 0 ? time.chain_s / time.busy_s * time.chain_s : Number{};
  const Number copied = time.chain_s > 0 ? time.copy_s / time.chain_s : Number{};
  parts.add(Limiter::instructions, exposed_s * copied);
  parts.add(Limiter::latency, exposed_s * (1 - copied));
  return parts;
}

double work_s(const KernelWork<double>& work, const MachineRates<double>& rates,
              const MemorySystem& memory, CacheState cache) {
  Planning eval;
  const auto time = work_time(work, rates, memory, cache, eval);
  return time.launch_s + work.start_s + time.busy_s;
}

template <class Number>
KernelPlan plan_of_works(const std::vector<KernelWork<Number>>& works, const Number& flop_s,
                         const MachineRates<Number>& rates, const ResolvedModel& model,
                         CacheState cache, Eval<Number>& eval) {
  const Machine& machine = model.machine;
  const KernelWork<Number>& first = works.front();
  KernelPlan plan;
  plan.algorithm = first.algorithm;
  plan.kernels = 0;
  plan.blocks = static_cast<std::uint64_t>(first.blocks);
  plan.threads = static_cast<std::uint64_t>(first.threads);
  if (first.blocks > 0) plan.waves = first.blocks / machine.sm_count;
  if (first.threads > 0)
    plan.occupancy =
        std::min(1.0, first.blocks * first.threads /
                          (machine.sm_count * machine.sm.max_warps * machine.sm.warp_size));
  plan.tile_utilization = value_of(first.useful_share);
  plan.wave_utilization = value_of(first.busy) / value_of(first.idle);
  if (first.in_flight_byte > 0)
    plan.in_flight_byte_per_s =
        value_of(first.in_flight_byte) / model.memory.constants->dram_latency_s;
  TimeParts<Number> parts;
  for (const KernelWork<Number>& work : works) {
    const bool is_first = &work == &first;
    if (works.size() > 1)
      eval.named("kernel", static_cast<double>(&work - &first + 1), "", "one after the other");
    const auto time =
        work_time(work, rates, model.memory, is_first ? cache : CacheState::warm, eval);
    plan.kernels += static_cast<std::uint64_t>(work.kernels);
    plan.l2_byte += value_of(time.traffic.l2_byte);
    plan.dram_read_byte += value_of(time.traffic.dram_read_byte);
    plan.dram_write_byte += value_of(time.traffic.dram_write_byte);
    parts.add(busy_parts(work, time, is_first ? flop_s : Number{}, eval));
    parts.add(Limiter::latency, work.start_s);
    parts.add(Limiter::launch, time.launch_s);
  }
  set_time(plan, parts, eval);
  return plan;
}

template KernelTime<double> work_time(const KernelWork<double>&, const MachineRates<double>&,
                                      const MemorySystem&, CacheState, Planning&);
template KernelTime<Explained> work_time(const KernelWork<Explained>&,
                                         const MachineRates<Explained>&, const MemorySystem&,
                                         CacheState, Explaining&);
template TimeParts<double> busy_parts(const KernelWork<double>&, const KernelTime<double>&,
                                      const double&, Planning&);
template TimeParts<Explained> busy_parts(const KernelWork<Explained>&, const KernelTime<Explained>&,
                                         const Explained&, Explaining&);
template KernelPlan plan_of_works(const std::vector<KernelWork<double>>&, const double&,
                                  const MachineRates<double>&, const ResolvedModel&, CacheState,
                                  Planning&);
template KernelPlan plan_of_works(const std::vector<KernelWork<Explained>>&, const Explained&,
                                  const MachineRates<Explained>&, const ResolvedModel&, CacheState,
                                  Explaining&);

}  // namespace roofline
