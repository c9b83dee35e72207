#pragma once

// A measured run in a few words: what its time is made of, and what would shorten it most.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/enumeration.hpp"
#include "roofline/recording.hpp"

namespace roofline {

/// What the time of a measured run is made of. What is of kernels is measured in sum and split by
/// the model; what is between and beside them is measured.
enum class StepPart : std::uint8_t {
  bound,          ///< the layers' roofline bounds
  rates,          ///< arithmetic, memory and caches at less than the bound's rates; below 0 where
                  ///< caches or Winograd save what the bound counts
  instructions,   ///< what else kernels issue
  small_kernels,  ///< kernels start, fill the GPU and drain it: launch, latency, last wave,
                  ///< padding of tiles, occupancy
  unexplained,    ///< the layers' measured time beyond the expected; below 0 where it is less
  other_kernels,  ///< kernels that no layer stands for; less what ran side by side, counted twice
  copies,         ///< copies over a link to host or GPU, with nothing beside them
  collectives,    ///< work between GPUs, with no kernel beside it
  idle_host,      ///< as IdleCause
  idle_data_loading,
  idle_synchronisation,
  idle_queued,
};

/// What the part is, in a few words.
constexpr std::string_view meaning_of(StepPart part) {
  switch (part) {
    case StepPart::bound: return "bound";
    case StepPart::rates: return "rates and caches";
    case StepPart::instructions: return "other instructions";
    case StepPart::small_kernels: return "starting and filling";
    case StepPart::unexplained: return "measured less expected";
    case StepPart::other_kernels: return "kernels of no layer";
    case StepPart::copies: return "copies over a link";
    case StepPart::collectives: return "collectives";
    case StepPart::idle_host: return "waiting for the host's launches";
    case StepPart::idle_data_loading: return "waiting for data";
    case StepPart::idle_synchronisation: return "after synchronisations";
    case StepPart::idle_queued: return "queued work waiting";
  }
  return "";
}

/// The parts in which the GPU is idle, each with its cause.
struct IdlePart {
  StepPart part;
  IdleCause cause;
};
inline constexpr std::array idle_parts =
    std::to_array<IdlePart>({{StepPart::idle_host, IdleCause::host},
                             {StepPart::idle_data_loading, IdleCause::data_loading},
                             {StepPart::idle_synchronisation, IdleCause::synchronisation},
                             {StepPart::idle_queued, IdleCause::queued}});

/// Something that can be done to shorten a time, as the model or the recording says.
struct Advice {
  std::string_view action;       ///< "larger_batch"
  std::string text;              ///< "batch 64 in place of 8"
  std::optional<double> time_s;  ///< for as much work as before; none where it all but vanishes
  double speedup = 0;            ///< over the time as it is; 0 where time_s is absent
  // Of a measured run:
  double saved_s = 0;           ///< a step, for as much work, by this action alone
  bool at_most = false;         ///< all that the action can touch, not a time that the model gives
  bool speeds_kernels = false;  ///< and not their launches
};

struct Verdict {
  double step_s = 0;  ///< the sum of part_s: a step with its gaps, or the measured layers
  EnumArray<StepPart, double> part_s{};
  bool knows_gaps = false;  ///< step_s holds the time between kernels
  /// What would shorten it: first the best of what leaves the work as it is, then in descending
  /// order of what it saves. Nothing that gains less than 3 %.
  std::vector<Advice> actions;

  double idle_s() const {
    double sum_s = 0;
    for (const IdlePart& each : idle_parts) sum_s += part_s[each.part];
    return sum_s;
  }
  /// The time of the kernels that layers stand for.
  double layers_s() const {
    return part_s[StepPart::bound] + part_s[StepPart::rates] + part_s[StepPart::instructions] +
           part_s[StepPart::small_kernels] + part_s[StepPart::unexplained];
  }
};

}  // namespace roofline
