#pragma once

// When a GPU works, and when it does nothing but move data.

#include <cstdint>
#include <vector>

#include "load/trace/links.hpp"
#include "load/trace/recording.hpp"

namespace roofline {

struct BusyTime {
  double span_us = 0;               ///< first start to last end
  double busy_us = 0;               ///< at least one activity runs
  double kernel_us = 0;             ///< sum of all durations
  double copies_alone_us = 0;       ///< copies over a link run, and nothing else
  double collectives_alone_us = 0;  ///< work between GPUs runs, and nothing but copies beside it
};

/// Of the activities with these indices, which are in the order of their starts.
BusyTime busy_time(const Recording& recording, const Links& links,
                   const std::vector<std::uint32_t>& activities);

}  // namespace roofline
