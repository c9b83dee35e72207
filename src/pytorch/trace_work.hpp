#pragma once

// What a recording says of the GPU's work: which operator launched each piece of it, what of it
// went over a link, when the GPU waited and why, and the layers of the rest. Activities are given
// by their indices, in the order of their starts.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "load/recording.hpp"
#include "pytorch/folding.hpp"
#include "pytorch/recording.hpp"

namespace roofline {

inline constexpr std::uint32_t no_index = std::numeric_limits<std::uint32_t>::max();

/// Where one piece of GPU work comes from.
struct WorkOrigin {
  std::uint32_t operator_index = no_index;  ///< in Recording::operators
  std::uint32_t call_index = no_index;      ///< in Recording::calls
  std::optional<std::size_t> step = {};     ///< in Recording::steps, that launched it
};

struct WorkOrigins {
  std::vector<std::uint32_t> callers;     ///< for each operator, the one around it on its thread
  std::vector<WorkOrigin> of_activities;  ///< for each activity
};

/// Sorts the recording's operators by thread and start and its activities by start, and finds where
/// each activity comes from.
WorkOrigins find_origins(Recording& recording);

struct BusyTime {
  double span_us = 0;    ///< first start to last end
  double busy_us = 0;    ///< at least one activity runs
  double kernel_us = 0;  ///< sum of all durations
};

BusyTime busy_time(const Recording& recording, const std::vector<std::uint32_t>& activities);

struct IdleTime {
  EnumArray<IdleCause, double> by_cause_s{};  ///< a step
  std::vector<IdleGaps> gaps;                 ///< those that take most
};

/// The host's time from the first launch of these activities to the last, in each step of its own,
/// added up: without what it waited for the GPU in between.
double launching_us(const Recording& recording, const WorkOrigins& origins,
                    const std::vector<std::uint32_t>& activities);

/// What the gaps between these activities take in one of so many steps.
///
/// A gap is the host's where the call that put the next activity on the GPU came after the gap had
/// begun: until then the GPU had nothing to do. The other gaps are between pieces of work that were
/// queued.
IdleTime idle_time(const Recording& recording, const WorkOrigins& origins,
                   const std::vector<std::uint32_t>& activities, std::size_t steps);

struct SplitWork {
  std::vector<std::uint32_t> computing;
  std::vector<std::uint32_t> computing_and_exchanges;  ///< all but the copies over a link
  std::vector<Transfer> transfers;                     ///< of one step, in descending order of time
};

/// Takes the work out of one device's activities that is over a link, to other GPUs or to the host,
/// and finds how much of it ran behind computing.
SplitWork split_transfers(const Recording& recording, const WorkOrigins& origins,
                          const std::vector<std::uint32_t>& activities, std::size_t steps);

struct TraceLayers {
  FoldedLayers layers;
  ChainList chains;
  UnmodelledList unmodelled;
  double layout_s = 0;             ///< moving images' channels to the other end, in all steps
  std::vector<std::string> notes;  ///< what was assumed
  /// A run of a layer: its row, and the pieces of GPU work that it is.
  struct Run {
    std::size_t row;
    std::vector<std::uint32_t> activities;
  };
  std::vector<Run> runs;
};

/// Takes activities of one device inside these steps, without transfers.
TraceLayers layers_of(const Recording& recording, const WorkOrigins& origins,
                      const std::vector<std::uint32_t>& activities, std::size_t steps);

}  // namespace roofline
