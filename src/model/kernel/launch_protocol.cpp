#include <algorithm>

#include "model/kernel/resolved_model.hpp"
#include "model/kernel/time_parts.hpp"

namespace roofline {

KernelPlan launched(KernelPlan plan, const KernelModel& model, const Launch& launch) {
  const MemorySystem& memory = model.resolved().memory;
  TimeParts parts{plan.part_s};
  double& launch_s = parts.s[static_cast<std::size_t>(Limiter::launch)];
  switch (launch.protocol) {
    case LaunchProtocol::graph: return plan;
    case LaunchProtocol::kernel:
      launch_s = std::max(0.0, launch_s - memory.gap_s * static_cast<double>(plan.kernels));
      break;
    case LaunchProtocol::stream: launch_s += memory.stream_s; break;
    case LaunchProtocol::eager:
      launch_s += std::max(0.0, launch.host_operator_s - plan.expected_time_s);
      break;
  }
  set_time(plan, parts);
  return plan;
}

}  // namespace roofline
