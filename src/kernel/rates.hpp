#pragma once

// Common rates of all kernels' formulas, a kernel's traffic and its time in the memory system.
//
// Device memory: cold operands are read once. Warm ones are read only to the extent by which the
// working set (all bytes touched by the kernel) exceeds the L2: all of it stays below
// `l2_kept_byte`, nothing above `l2_lost_byte`, with a linear share in between. Results wait in L2
// as dirty lines; the part which neither fits nor withstands the lines streaming past is written
// within the kernel. Example (H200): reading 103 MB and writing 51 MB cold moves 103 MB and 34 MB;
// writing 24 MB after reading 5 MB moves 5 MB and nothing.
//
// The time of a cold run counts every written byte: the next kernel pushes out what this one leaves
// in L2, so in a sequence each kernel pays for one result.
//
// Blocks with two walks over their data, for sums and then for results, find in L2 on the second
// walk what has not been pushed out in between. On an H100, layer norms and their gradients of rows
// of 2 to 28 KB, with 0.2 to 2.4 times the L2 touched by all blocks between the walks, read nothing
// again below `walk_kept` of it and everything from `walk_lost`.
//
// The L2 moves every request and every line filled from device memory: a cold ReLU of 26 MB in and
// 26 MB out shows 78 MB.

#include "kernel/formula.hpp"
#include "kernel/layer_sizes.hpp"
#include "kernel/resolved_model.hpp"
#include "roofline/kernel.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

template <class Number>
struct MachineRates {
  Number sm_count{};
  Number clock_hz{};
  Number issue_clock_per_s{};  ///< of all SMs, scaled by issue_share
};

template <class Number>
MachineRates<Number> machine_rates(const Machine& machine, Eval<Number>& eval) {
  const auto sms = eval.once("SMs", machine.sm_count, "", machine.sm_origin);
  const auto clock = eval.once("clock", machine.clock_hz, "clock/s", machine.clock_origin);
  return {sms, clock, sms * clock * eval.sourced(machine.issue_share, "architecture")};
}

/// The layer's own FLOP at the engine's sustained rate; 0 if the GPU lacks the engine.
template <class Number>
Number practical_flop_s(const Counts& counts, const EngineModel* engine, Eval<Number>& eval) {
  if (engine == nullptr || counts.flops == 0) return {};
  const auto flop = eval.named("FLOP", static_cast<double>(counts.flops), "FLOP", "counted");
  const auto peak = eval.named("peak", engine->peak_flop_per_s, "FLOP/s", engine->peak_origin);
  const auto share =
      eval.named("practical share of the peak", engine->math_share, "", engine->math_origin);
  return eval.named("FLOP at the practical rate", flop / (peak * share), "s");
}

inline constexpr double walk_kept = 0.3;
inline constexpr double walk_lost = 1.4;

template <class Number>
struct Traffic {
  Number l2_byte{};  ///< as in counters: requests of the SMs and lines filled from DRAM
  Number dram_read_byte{};
  Number dram_write_byte{};  ///< within the kernel
  Number timed_dram_byte{};  ///< as counted in the time of device memory
  Number far_share{};        ///< share of a dependent round trip which reaches device memory
};

/// The share of a working set that L2 does not keep.
template <class Number>
Number missed_share(const Number& working_set, const MemorySystem& memory, Eval<Number>& eval) {
  const auto limit = [&](double byte) { return eval.sourced(byte, memory.kept_origin); };
  const Number kept = limit(memory.l2_kept_byte);
  const Number lost = limit(memory.l2_lost_byte);
  return eval.named("share not found in L2", 1 - clamp((lost - working_set) / (lost - kept), 0, 1));
}

/// `reread_byte`: L2 fetches of tiles beyond reading each operand once.
template <class Number>
Traffic<Number> memory_traffic(const Streams& streams, const Number& reread_byte,
                               const MemorySystem& memory, CacheState cache, Eval<Number>& eval) {
  const Number read = eval.named("bytes read, once", streams.read_byte, "byte", "layer");
  const Number written = eval.named("bytes written, once", streams.write_byte, "byte", "layer");
  const Number working_set = eval.named("working set", read + written, "byte");
  Traffic<Number> traffic;
  if (cache == CacheState::warm) {
    const Number missed = missed_share(working_set, memory, eval);
    traffic.dram_read_byte = eval.named("bytes read from DRAM", read * missed, "byte");
    traffic.dram_write_byte = eval.named("bytes written to DRAM", written * missed, "byte");
    traffic.timed_dram_byte = traffic.dram_read_byte + traffic.dram_write_byte;
    traffic.far_share = missed;
  } else {
    // Dirty lines share the cache with lines read past them, in proportion to the traffic.
    const Number room = working_set > memory.l2_lost_byte
                            ? memory.l2_lost_byte * (written / working_set)
                            : memory.l2_dirty_byte;
    traffic.dram_read_byte = read;
    traffic.dram_write_byte = max({0, written - min({room, memory.l2_dirty_byte})});
    traffic.timed_dram_byte = working_set;
    // Lines of tiny layers come with lines already fetched by neighbours.
    traffic.far_share = min({1, working_set / memory.cold_ramp_byte});
  }
  if (streams.again_byte > 0) {
    const Number size = eval.sourced(memory.l2_size_byte, memory.bandwidth_origin);
    const Number between = eval.named("touched between two walks", streams.between_byte, "byte");
    const Number pushed_out =
        eval.named("share that a second walk does not find in L2",
                   clamp((between / size - walk_kept) / (walk_lost - walk_kept), 0, 1));
    const Number again =
        eval.named("read again from DRAM", streams.again_byte * pushed_out, "byte");
    traffic.dram_read_byte = traffic.dram_read_byte + again;
    traffic.timed_dram_byte = traffic.timed_dram_byte + again;
  }
  traffic.timed_dram_byte = eval.named("bytes of DRAM", traffic.timed_dram_byte, "byte");
  traffic.l2_byte = working_set + streams.again_byte + reread_byte + traffic.dram_read_byte;
  return traffic;
}

template <class Number>
Number dram_byte_per_s(const MemorySystem& memory, Eval<Number>& eval) {
  const auto bandwidth =
      eval.once("bandwidth", memory.bandwidth_byte_per_s, "byte/s", memory.bandwidth_origin);
  const auto share =
      eval.once("practical share of the bandwidth", memory.dram_share, "", memory.share_origin);
  return eval.once("practical bandwidth", bandwidth * share, "byte/s");
}

template <class Number>
Number l2_byte_per_s(const MemorySystem& memory, const MachineRates<Number>& rates,
                     Eval<Number>& eval) {
  const auto of_an_sm = eval(memory.constants->l2_byte_per_clock_per_sm);
  return eval.once("L2 rate",
                   max({of_an_sm * rates.sm_count * rates.clock_hz, memory.l2_least_byte_per_s}),
                   "byte/s");
}

/// At the L2's full rate. Lines arriving from device memory do not occupy the path to the SMs.
template <class Number>
Number l2_request_s(const Streams& streams, const Traffic<Number>& traffic,
                    const Number& l2_byte_per_s, const MemorySystem& memory, Eval<Number>& eval) {
  const auto moved = eval.named("bytes of L2, lines filled included", traffic.l2_byte, "byte");
  const auto requested = eval.named("requests to L2", moved - traffic.dram_read_byte, "byte");
  const auto write_share = eval(memory.constants->l2_write_share);
  return eval.named(
      "L2 at full rate",
      max({requested / l2_byte_per_s, streams.write_byte / (l2_byte_per_s * write_share)}), "s");
}

template <class Number>
Number round_trip_s(const Number& far_share, const MemorySystem& memory, Eval<Number>& eval) {
  const auto l2_s = eval(memory.constants->l2_latency_s);
  const auto dram_s = eval(memory.constants->dram_latency_s);
  return eval.named("round trip", l2_s + far_share * (dram_s - l2_s), "s");
}

}  // namespace roofline
