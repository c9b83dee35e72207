#pragma once

// A kernel's work, and the one time of it.
//
// A kernel takes its slowest resource: what its SMs issue, the L2, device memory. A chain of
// dependent steps overlaps with other threads' bytes and instructions like two independent delays:
// (chain^2 + slowest^2)^(1/2), for a few blocks per SM started together. Tiled products have a law
// of their own for instructions and chains (gemm.hpp); the result stands in the chain's place.

#include <optional>
#include <vector>

#include "kernel/rates.hpp"

namespace roofline {

/// Blocks, with the kernels around them, by another law: their time beside memory's, and its parts.
template <class Number>
struct TimedBlocks {
  Number time_s{};
  TimeParts<Number> parts;
};

/// A kernel's work. "Clocks" are SM clocks of one SM (constants.hpp).
template <class Number>
struct KernelWork {
  Algorithm algorithm = Algorithm::vectorized_elementwise;
  std::optional<Engine> engine;  ///< on which it computes; none: the one asked for
  Streams streams;
  Number reread_byte{};     ///< from L2, beyond reading each operand once
  Number moves = 1;         ///< number of times all bytes move
  Number in_flight_byte{};  ///< by all SMs at most; 0: no limit
  bool passes_l2 = true;    ///< false: another rate holds the streams' way through L2

  /// In place of all clocks, FLOP, and round trips.
  std::optional<TimedBlocks<Number>> timed;

  Number clocks{};  ///< issued
  Number flop{};
  Number flop_per_s = 1;    ///< rate of `flop`
  Number useful_share = 1;  ///< of the issued arithmetic, without padding
  Number least_s{};         ///< the layer's own FLOP at the engine's practical rate
  Number idle = 1;          ///< SM time / time with a block on the SM, over whole waves
  Number floor_s{};         ///< minimum, from one block's chain
  Number serial_s{};        ///< sequential steps with idle gaps between them
  Number fetch_byte{};      ///< operands, if their fetches are slower than the L2 itself
  Number fetch_byte_per_s = 1;

  Number busy = 1;    ///< share of SMs with a block
  Number filled = 1;  ///< share of an SM's rates, and of its bytes in flight, that few blocks reach

  Number start_s{};         ///< beyond the launches
  Number more_launch_s{};   ///< of the launches, beyond the GPU's own
  Number round_trips{};     ///< to memory, in sequence
  Number l2_round_trips{};  ///< to L2, unhidden
  Number copy_clocks{};     ///< layout changes around the kernel

  double kernels = 1;       ///< whose launches are not in `timed`
  double streams_used = 1;  ///< on which the kernels run side by side
  double blocks = 0;
  double threads = 0;
};

template <class Number>
struct KernelTime {
  Traffic<Number> traffic;
  Number issue_s{};  ///< clocks and FLOP alone, perfectly spread
  Number idle = 1;   ///< see KernelWork, where the limit on all SMs together leaves it
  Number compute_s{};
  Number l2_fed = 1;      ///< share of the L2's rate filled by the bytes in flight
  Number dram_fed = 1;    ///< likewise of DRAM's
  Number l2_request_s{};  ///< at the L2's full rate
  Number l2_s{};
  Number dram_s{};
  Number bound_s{};               ///< the largest of the three
  Limiter bound = Limiter::math;  ///< math stands for all of compute
  Number copy_s{};                ///< part of the chain
  Number chain_s{};
  Number busy_s{};  ///< bound and chain together
  Number launch_s{};
};

template <class Number>
KernelTime<Number> work_time(const KernelWork<Number>& work, const MachineRates<Number>& rates,
                             const MemorySystem& memory, CacheState cache, Eval<Number>& eval);

/// The parts of `busy_s`. `flop_s`: the layer's own FLOP at the engine's practical rate, unless
/// the work is timed.
template <class Number>
TimeParts<Number> busy_parts(const KernelWork<Number>& work, const KernelTime<Number>& time,
                             const Number& flop_s, Eval<Number>& eval);

/// A kernel alone, with its launches: what a search compares.
double work_s(const KernelWork<double>& work, const MachineRates<double>& rates,
              const MemorySystem& memory, CacheState cache);

/// Kernels in sequence. The first does the layer's own arithmetic; the others find their
/// predecessors' results in L2. `flop_s`: the layer's own FLOP at the engine's practical rate.
template <class Number>
KernelPlan plan_of_works(const std::vector<KernelWork<Number>>& works, const Number& flop_s,
                         const MachineRates<Number>& rates, const ResolvedModel& model,
                         CacheState cache, Eval<Number>& eval);

}  // namespace roofline
