#pragma once

// When a GPU works, and why it waits: what the host did in the gaps between its activities.

#include <cstdint>
#include <vector>

#include "pytorch/recording.hpp"
#include "pytorch/work_origins.hpp"

namespace roofline {

struct BusyTime {
  double span_us = 0;    ///< first start to last end
  double busy_us = 0;    ///< at least one activity runs
  double kernel_us = 0;  ///< sum of all durations
};

// Activities are given by their indices, in the order of their starts.

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

}  // namespace roofline
