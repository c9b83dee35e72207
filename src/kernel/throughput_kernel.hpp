#pragma once

// Kernels bound by their slowest resource: layers which stream through memory, grouped and
// depthwise convolutions, attention.
//
// A chain of dependent steps overlaps with other threads' bytes and instructions like two
// independent delays: (chain^2 + throughput^2)^(1/2), for a few blocks per SM started together.

#include <optional>
#include <vector>

#include "kernel/rates.hpp"

namespace roofline {

/// A kernel's work. "Clocks" are SM clocks of one SM (constants.hpp).
template <class Number>
struct ThroughputWork {
  Algorithm algorithm = Algorithm::vectorized_elementwise;
  std::optional<Engine> engine;  ///< on which it computes; none: the one asked for
  Streams streams;
  Number reread_byte{};     ///< from L2, beyond reading each operand once
  Number moves = 1;         ///< number of times all bytes move
  Number in_flight_byte{};  ///< by all SMs at most; 0: no limit

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
  Number round_trips{};     ///< to memory, in sequence
  Number l2_round_trips{};  ///< to L2, unhidden
  Number copy_clocks{};     ///< layout changes around the kernel

  double kernels = 1;
  double streams_used = 1;  ///< on which the kernels run side by side
  double blocks = 0;
  double threads = 0;
};

/// A kernel alone, with its launches: what a search compares.
double throughput_s(const ThroughputWork<double>& work, const MachineRates<double>& rates,
                    const MemorySystem& memory, CacheState cache);

/// Kernels in sequence. The first does the layer's own arithmetic; the others find their
/// predecessors' results in L2. `flop_s`: the layer's own FLOP at the engine's practical rate.
template <class Number>
KernelPlan throughput_plan(const std::vector<ThroughputWork<Number>>& works, const Number& flop_s,
                           const MachineRates<Number>& rates, const ResolvedModel& model,
                           CacheState cache, Eval<Number>& eval);

}  // namespace roofline
