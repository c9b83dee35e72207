#include "pytorch/busy_time.hpp"

#include <algorithm>

namespace roofline {

BusyTime busy_time(const Recording& recording, const std::vector<std::uint32_t>& activities) {
  BusyTime time;
  if (activities.empty()) return time;
  const double first_us = recording.activities[activities.front()].start_us;
  double last_us = first_us;
  for (const std::uint32_t index : activities) {
    const GpuActivity& activity = recording.activities[index];
    time.kernel_us += activity.duration_us;
    time.busy_us += std::max(0.0, activity.end_us() - std::max(last_us, activity.start_us));
    last_us = std::max(last_us, activity.end_us());
  }
  time.span_us = last_us - first_us;
  return time;
}

}  // namespace roofline
