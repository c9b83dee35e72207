#pragma once

// Kernels whose time is that of the resource which takes longest: layers that stream through
// memory, grouped and depthwise convolutions, attention.
//
// A chain of dependent steps hides behind the bytes and instructions of other threads as two
// independent delays do: (chain^2 + throughput^2)^(1/2), for a few blocks an SM started together.

#include <vector>

#include "kernel/rates.hpp"

namespace roofline {

/// What a kernel does. "Clocks" are SM clocks of one SM: with 132 SMs busy, 132 elements of one
/// clock each take one clock together.
template <class Number>
struct ThroughputWork {
  Algorithm algorithm = Algorithm::vectorized_elementwise;
  Streams streams;
  Number reread_byte{};     ///< from L2, beyond reading each operand once
  Number moves = 1;         ///< times that all bytes move
  Number in_flight_byte{};  ///< by all SMs at most; 0: no limit

  Number clocks{};  ///< issued
  Number flop{};
  Number flop_per_s = 1;    ///< that `flop` runs at
  Number useful_share = 1;  ///< of what is issued: not on padding
  Number idle = 1;          ///< SM time / time in which an SM has a block, over whole waves
  Number floor_s{};         ///< least time, of one block's chain
  Number serial_s{};        ///< steps between which nothing runs
  Number fetch_byte{};      ///< operands, where fetching them is slower than the L2 itself
  Number fetch_byte_per_s = 1;

  Number busy = 1;    ///< share of the SMs that have a block
  Number filled = 1;  ///< share of the rates that few resident blocks reach

  Number start_s{};         ///< beyond the launches
  Number round_trips{};     ///< to memory, one after the other
  Number l2_round_trips{};  ///< to L2, which nothing hides
  Number copy_clocks{};     ///< layout changes around the kernel

  double kernels = 1;
  double blocks = 0;
  double threads = 0;
};

/// Its times on a GPU.
template <class Number>
struct ThroughputTime {
  Traffic<Number> traffic;
  Number issue_s{};  ///< clocks and FLOP alone, perfectly spread
  Number compute_s{};
  Number l2_fed = 1;      ///< share of the L2's rate that the bytes in flight fill
  Number dram_fed = 1;    ///< and of DRAM's
  Number l2_request_s{};  ///< at the L2's full rate
  Number l2_s{};
  Number dram_s{};
  Number bound_s{};               ///< the largest of the three
  Limiter bound = Limiter::math;  ///< math stands for all of compute
  Number copy_s{};                ///< of the chain
  Number chain_s{};
  Number busy_s{};  ///< bound and chain together
  Number launch_s{};
  Number total_s{};
};

/// A kernel's work timed. `rates` are the machine's.
template <class Trace>
ThroughputTime<NumberOf<Trace>> throughput_time(const ThroughputWork<NumberOf<Trace>>& work,
                                                const MachineRates<NumberOf<Trace>>& rates,
                                                const MemorySystem& memory, CacheState cache,
                                                Trace& trace);

/// The plan of kernels that run one after the other, of which the first does the layer's own
/// arithmetic; the others find in L2 what those before have left. `flop_s`: the layer's own FLOP at
/// the engine's practical rate.
template <class Trace>
KernelPlan throughput_plan(const std::vector<ThroughputWork<NumberOf<Trace>>>& works,
                           const NumberOf<Trace>& flop_s,
                           const MachineRates<NumberOf<Trace>>& rates, const ResolvedModel& model,
                           CacheState cache, Trace& trace);

}  // namespace roofline
