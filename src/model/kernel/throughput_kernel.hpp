#pragma once

// Kernels whose time is that of the resource which takes longest: layers that stream through
// memory, grouped and depthwise convolutions.
//
//   compute   max((clocks / issue rate + FLOP / rate) * idle / (busy * filled), floor) + serial
//   l2        max(requests / rate, written / write rate) / (efficiency * busy * filled),
//             at least fetched / fetch rate
//   dram      bytes / (sustained rate * efficiency * filled)
//   chain     round trips + (steps + copies / issue rate) * latency scale
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
  Streams streams;
  double reread_l2_byte = 0;  ///< beyond reading each operand once
  double efficiency = 1;      ///< of the sustained memory rates

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
  Terms steps_s;       ///< a chain that nothing hides
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
  double l2_request_s = 0;  ///< at the L2's full rate
  double l2_s = 0;
  double dram_byte = 0;  ///< that the time counts
  double dram_s = 0;
  double bound_s = 0;             ///< the largest of the three
  Limiter bound = Limiter::math;  ///< math stands for all of compute
  double round_trip_s = 0;
  double copy_s = 0;  ///< of the chain
  double chain_s = 0;
  double busy_s = 0;  ///< bound and chain together
  double launch_s = 0;
  double flop_s = 0;  ///< the layer's own FLOP at the engine's sustained rate
  TimeParts parts;
};

struct ThroughputKernel {
  ThroughputWork work;
  ThroughputTime time;
  double total_s = 0;
};

/// `flop_s`: the layer's own FLOP at the engine's sustained rate.
ThroughputKernel timed(const ThroughputWork& work, const ResolvedModel& model, CacheState cache,
                       double flop_s);

KernelPlan plan_of(const ThroughputKernel& kernel, const Machine& machine);

/// The layer's own FLOP at the rate that an engine sustains; 0 where the part lacks it.
double flop_s_of(const Counts& counts, const ResolvedModel& model, Engine engine);

}  // namespace roofline
