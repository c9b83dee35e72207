#pragma once

// When a GPU works and when it waits.

#include <cstdint>
#include <vector>

#include "pytorch/recording.hpp"

namespace roofline {

struct BusyTime {
  double span_us = 0;    ///< first start to last end
  double busy_us = 0;    ///< at least one activity runs
  double kernel_us = 0;  ///< sum of all durations
};

/// Of the activities with these indices, which are in the order of their starts.
BusyTime busy_time(const Recording& recording, const std::vector<std::uint32_t>& activities);

}  // namespace roofline
