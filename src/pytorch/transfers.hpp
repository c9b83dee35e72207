#pragma once

// The work of a recording that is over a link, to other GPUs or to the host: taken out of the
// activities, folded, and how much of it ran behind computing.

#include <cstdint>
#include <vector>

#include "pytorch/recording.hpp"
#include "pytorch/work_origins.hpp"
#include "roofline/recording.hpp"

namespace roofline {

struct SplitWork {
  // Both are in the order of their starts.
  std::vector<std::uint32_t> computing;
  std::vector<std::uint32_t> computing_and_exchanges;  ///< all but the copies over a link
  std::vector<Transfer> transfers;                     ///< of one step, in descending order of time
};

/// Activities of one device, in the order of their starts.
SplitWork split_transfers(const Recording& recording, const WorkOrigins& origins,
                          const std::vector<std::uint32_t>& activities, std::size_t steps);

}  // namespace roofline
