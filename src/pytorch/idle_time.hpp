#pragma once

// Why a GPU waits: what the host did in the gaps between the GPU's activities.

#include <cstdint>
#include <vector>

#include "pytorch/links.hpp"
#include "pytorch/recording.hpp"

namespace roofline {

struct IdleTime {
  EnumArray<IdleCause, double> by_cause_s{};  ///< a step
  std::vector<IdleGaps> gaps;                 ///< those that take most
};

/// The host's time from the first launch of these activities to the last, in each step of its own,
/// added up: without what it waited for the GPU in between.
double launching_us(const Recording& recording, const Links& links,
                    const std::vector<std::uint32_t>& activities);

/// Of the gaps between the activities with these indices, which are in the order of their starts,
/// as of one of so many steps.
///
/// A gap is the host's where the call that put the next activity on the GPU came after the gap had
/// begun: until then the GPU had nothing to do. The other gaps are between pieces of work that were
/// queued.
IdleTime idle_time(const Recording& recording, const Links& links,
                   const std::vector<std::uint32_t>& activities, std::size_t steps);

}  // namespace roofline
