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

/// Of a file that recordings of several processes were merged into, each of which counts its
/// launches and operators on its own, keeps the process whose GPU worked longest, and says so.
void keep_one_rank(Recording& recording, std::vector<std::string>& notes);

/// Sorts the recording's operators by thread and start and its activities by start, and finds where
/// each activity comes from.
WorkOrigins find_origins(Recording& recording);

/// When the host asked for it: kernels run later, the last of a step maybe after its end.
double launch_time_us(const Recording& recording, const GpuActivity& activity,
                      const WorkOrigin& origin);

// Captured graphs.

bool is_graph_launch(const Recording& recording, std::uint32_t call);
/// The innermost operator that ran as the call was made; no_index where none did.
std::uint32_t innermost_operator(const Recording& recording, const WorkOrigins& origins,
                                 const LaunchCall& call);
/// Takes over the graphs that another recording saw being captured, and its operators; before
/// find_origins().
void add_captured(Recording& recording, const Recording& capture);
/// Sets the operators of kernels in graphs, where it is sure which captured one they are of.
void link_captured(const Recording& recording, WorkOrigins& origins,
                   std::vector<std::string>& notes);

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
/// begun: so long the GPU had nothing to do. Where the work did not start soon after the call
/// returned, it was queued from there on, as in all other gaps.
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

/// What the operators of a recording without a GPU would run on one, in one step. `arguments`: the
/// recording's, in the types asked for.
TraceLayers layers_of_operators(const Recording& recording, const WorkOrigins& origins,
                                const std::vector<Arguments>& arguments);

}  // namespace roofline
