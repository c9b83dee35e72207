#pragma once

// Kernels whose time is that of the resource which takes longest: layers that stream through
// memory, grouped and depthwise convolutions.
//
//   compute   max((clocks / issue rate + FLOP / rate) * idle / (busy * filled), floor) + serial
//   fed       share of a rate that the bytes in flight fill: in flight / (latency * rate), at most
//   1 l2        moves * max(requests / rate, written / write rate) / (fed * busy * filled),
//             at least fetched / fetch rate
//   dram      moves * bytes / (sustained rate * fed * filled)
//   chain     round trips + steps * L2 latency + copies / issue rate
//   time      launches + start + sqrt(largest^2 + chain^2)
//
// A chain of dependent steps hides behind the bytes and instructions of other threads as two
// independent delays do: (chain^2 + throughput^2)^(1/2), for a few blocks an SM started together.

#include "model/kernel/memory_traffic.hpp"
#include "model/kernel/resolved_model.hpp"
#include "model/kernel/terms.hpp"
#include "model/kernel/time_parts.hpp"

namespace roofline {

/// What a kernel does. "Clocks" are SM clocks of one SM: with 132 SMs busy, 132 elements of one
/// clock each take one clock together.
struct ThroughputWork {
  Algorithm algorithm = Algorithm::vectorized_elementwise;
  const double* constant = nullptr;  ///< one of the kernel's, for where they come from
  Streams streams;
  double reread_l2_byte = 0;  ///< beyond reading each operand once
  double moves = 1;           ///< times that all bytes move
  double in_flight_byte = 0;  ///< by all SMs at most; 0: no limit

  Terms clocks;  ///< issued
  double flop = 0;
  double flop_per_s = 1;    ///< that `flop` runs at
  double useful_share = 1;  ///< of what is issued: not on padding
  double idle = 1;          ///< SM time / time in which an SM has a block, over whole waves
  Terms floor_s;            ///< least time, of one block's chain
  Terms serial_s;           ///< steps between which nothing runs
  double fetch_byte = 0;    ///< operands, where fetching them is slower than the L2 itself
  double fetch_byte_per_s = 1;

  double busy = 1;    ///< share of the SMs that have a block
  double filled = 1;  ///< share of the rates that few resident blocks reach

  double start_s = 0;  ///< beyond the launches
  Terms rounds;        ///< dependent round trips to memory
  Terms steps;         ///< a chain of round trips to L2 that nothing hides
  Terms copy_clocks;   ///< layout changes around the kernel
  double kernels = 1;

  double blocks = 0;
  double threads = 0;
};

/// Its times on a GPU.
struct ThroughputTime {
  Traffic traffic;
  double issue_s = 0;  ///< clocks and FLOP alone, perfectly spread
  double compute_s = 0;
  double l2_fed = 1;        ///< share of the L2's rate that the bytes in flight fill
  double dram_fed = 1;      ///< and of DRAM's
  double l2_request_s = 0;  ///< at the L2's full rate
  double l2_s = 0;
  double dram_byte = 0;  ///< that the time counts
  double dram_s = 0;
  double bound_s = 0;             ///< the largest of the three
  Limiter bound = Limiter::math;  ///< math stands for all of compute
  double far_share = 0;           ///< of a round trip that goes to DRAM
  double round_trip_s = 0;
  double copy_s = 0;  ///< of the chain
  double chain_s = 0;
  double busy_s = 0;  ///< bound and chain together
  double launch_s = 0;
  double flop_s = 0;  ///< the layer's own FLOP at the engine's sustained rate
};

struct ThroughputKernel {
  ThroughputWork work;
  ThroughputTime time;
  double total_s = 0;
};

/// What a time at full rates takes longer: few blocks first leave rates unfilled, then SMs without
/// any; waves leave them idle at the end.
template <class Parts>
void add_gaps(Parts& parts, double time_s, double filled, double idle) {
  const double unfilled_s = time_s / filled;
  parts.add(Limiter::occupancy, unfilled_s - time_s,
            [&] { return expression(time_s, " x (1 / ", filled, " - 1)"); });
  parts.add(Limiter::last_wave, unfilled_s * idle - unfilled_s,
            [&] { return expression(unfilled_s, " x (", idle, " - 1)"); });
}

/// The resource that takes longest.
template <class Parts>
void add_bound(Parts& parts, const ThroughputWork& work, const ThroughputTime& time) {
  const auto rest = [&](Limiter limiter, double whole_s, double part_s) {
    parts.add(limiter, whole_s - part_s, [&] { return expression(whole_s, " - ", part_s); });
  };
  if (time.bound == Limiter::math) {
    const double idle = work.idle / work.busy;
    add_issue(parts, time.issue_s, work.useful_share, time.flop_s);
    add_gaps(parts, time.issue_s, work.filled, idle);
    rest(Limiter::latency, time.compute_s, time.issue_s / work.filled * idle);
  } else if (time.bound == Limiter::l2) {
    const double request_s = time.l2_request_s * work.moves;
    const double filled = work.filled * time.l2_fed;
    parts.add(Limiter::l2, request_s,
              [&] { return expression(time.l2_request_s, Times{work.moves}); });
    add_gaps(parts, request_s, filled, 1 / work.busy);
    rest(Limiter::l2, time.l2_s, request_s / (filled * work.busy));
  } else {
    const double filled = work.filled * time.dram_fed;
    const double full_s = time.dram_s * filled;
    parts.add(Limiter::dram, full_s, [&] { return expression(time.dram_s, Times{filled}); });
    add_gaps(parts, full_s, filled, 1);
  }
}

template <class Parts>
Parts parts_of(const ThroughputKernel& kernel) {
  const ThroughputWork& work = kernel.work;
  const ThroughputTime& time = kernel.time;
  Parts parts;
  add_bound(parts, work, time);
  const double exposed_s = time.busy_s - time.bound_s;
  const double copied = time.chain_s > 0 ? time.copy_s / time.chain_s : 0;
  const auto exposed = [&](double share) {
    return expression("(", time.busy_s, " - ", time.bound_s, ")", Times{share});
  };
  parts.add(Limiter::instructions, exposed_s * copied, [&] { return exposed(copied); });
  parts.add(Limiter::latency, exposed_s * (1 - copied), [&] { return exposed(1 - copied); });
  add_part(parts, Limiter::latency, work.start_s);
  add_part(parts, Limiter::launch, time.launch_s);
  return parts;
}

/// `flop_s`: the layer's own FLOP at the engine's sustained rate.
ThroughputKernel timed(const ThroughputWork& work, const ResolvedModel& model, CacheState cache,
                       double flop_s);

KernelPlan plan_of(const ThroughputKernel& kernel, const Machine& machine);

/// The layer's own FLOP at the rate that an engine sustains; 0 where the part lacks it.
double flop_s_of(const Counts& counts, const ResolvedModel& model, Engine engine);

}  // namespace roofline
