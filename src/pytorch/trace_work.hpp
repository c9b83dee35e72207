#pragma once

// A recording's GPU work: launches, transfers, idle time, layers. Activities are indices by start.

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

struct WorkOrigin {
  std::uint32_t operator_index = no_index;  ///< in Recording::operators
  std::uint32_t call_index = no_index;      ///< in Recording::calls
  std::optional<std::size_t> step = {};     ///< the launching one, in Recording::steps
};

struct WorkOrigins {
  std::vector<std::uint32_t> callers;     ///< the enclosing operator of each operator
  std::vector<WorkOrigin> of_activities;  ///< for each activity
};

/// Keeps the process with the busiest GPU of merged recordings, with a note.
void keep_one_rank(Recording& recording, std::vector<std::string>& notes);

/// Sorts operators by thread and start, and activities by start, and finds their origins.
WorkOrigins find_origins(Recording& recording);

/// When the host launched it: kernels run later, maybe after the step's end.
double launch_time_us(const Recording& recording, const GpuActivity& activity,
                      const WorkOrigin& origin);

/// The step around the time; steps by start.
std::optional<std::size_t> step_at(const std::vector<StepRange>& steps, double time_us);

bool is_graph_launch(const Recording& recording, std::uint32_t call);

/// Process and number in the trace: several processes may call theirs the first GPU.
using RankGpu = std::pair<std::uint32_t, std::uint32_t>;
/// Of a recording with activities.
RankGpu busiest_gpu(const Recording& recording);

/// The time that at least one activity runs.
Coverage busy_time(const Recording& recording, const std::vector<std::uint32_t>& activities);

struct IdleTime {
  EnumArray<IdleCause, double> by_cause_s{};  ///< a step
  std::vector<IdleGaps> gaps;                 ///< the longest kinds
};

/// The host's time from first to last launch, summed over steps, without waits for the GPU.
double launching_us(const Recording& recording, const WorkOrigins& origins,
                    const std::vector<std::uint32_t>& activities);

/// Idle time of a step. The host causes a gap if it called the next activity after the gap began,
/// up to the call's return if the work starts much later. In all other idle time work was queued.
IdleTime idle_time(const Recording& recording, const WorkOrigins& origins,
                   const std::vector<std::uint32_t>& activities, std::size_t steps);

struct SplitWork {
  std::vector<std::uint32_t> computing;
  std::vector<std::uint32_t> computing_and_exchanges;  ///< all but copies over a link
  std::vector<Transfer> transfers;                     ///< of one step, by falling time
};

/// Separates transfers from one device's activities, and finds how much of them computing hides.
SplitWork split_transfers(const Recording& recording, const WorkOrigins& origins,
                          const std::vector<std::uint32_t>& activities, std::size_t steps);

struct TraceLayers {
  FoldedLayers layers;
  ChainList chains;
  UnmodelledList unmodelled;
  double layout_s = 0;             ///< layout changes, in all steps
  double side_by_side_s = 0;       ///< overlap of the kernels of one operator, likewise
  std::vector<std::string> notes;  ///< assumptions
  bool lacks_products = false;     ///< some could not be sized
};

/// Takes activities of one device in these steps, without transfers.
TraceLayers layers_of(const Recording& recording, const WorkOrigins& origins,
                      const std::vector<std::uint32_t>& activities, std::size_t steps);

/// `arguments`: the recording's, in the requested types.
TraceLayers layers_of_operators(const Recording& recording, const WorkOrigins& origins,
                                const std::vector<Arguments>& arguments);

}  // namespace roofline
