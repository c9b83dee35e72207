#pragma once

// The rates that every kernel's formulas start from.

#include "kernel/formula.hpp"
#include "kernel/machine/machine.hpp"
#include "kernel/resolved_model.hpp"

namespace roofline {

template <class Number>
struct MachineRates {
  Number sm_count{};
  Number clock_hz{};
  Number issue_clock_per_s{};  ///< of all SMs, scaled by what one issues
};

template <class Trace>
MachineRates<NumberOf<Trace>> machine_rates(const Machine& machine, Trace& trace) {
  const auto sms = trace.named("SMs", machine.sm_count, "", machine.sm_origin);
  const auto clock = trace.named("clock", machine.clock_hz, "clock/s", machine.clock_origin);
  return {sms, clock, sms * clock * trace.sourced(machine.issue_share, "architecture")};
}

/// The layer's own FLOP at the rate that the engine sustains; 0 where the part lacks it.
template <class Trace>
NumberOf<Trace> practical_flop_s(const Counts& counts, const EngineModel* engine, Trace& trace) {
  if (engine == nullptr || counts.flops == 0) return {};
  const auto flop = trace.named("FLOP", static_cast<double>(counts.flops), "FLOP", "counted");
  const auto peak = trace.named("peak", engine->peak_flop_per_s, "FLOP/s", engine->peak_origin);
  const auto share =
      trace.named("practical share of the peak", engine->math_share, "", engine->math_origin);
  return trace.named("FLOP at the practical rate", flop / (peak * share), "s");
}

}  // namespace roofline
