#include <algorithm>

#include "kernel/resolved_model.hpp"
#include "kernel/time_parts.hpp"

namespace roofline {
namespace {

/// What a protocol takes longer to start the plan's kernels than a graph does; may be negative.
double more_launch_s(const KernelPlan& plan, const MemorySystem& memory, const Launch& launch) {
  const double launch_s = plan.part_s[Limiter::launch];
  switch (launch.protocol) {
    case LaunchProtocol::graph: return 0;
    case LaunchProtocol::kernel:
      return -std::min(launch_s, memory.gap_s * static_cast<double>(plan.kernels));
    case LaunchProtocol::stream: return memory.stream_s;
    case LaunchProtocol::eager: return std::max(0.0, launch.host_operator_s - plan.expected_time_s);
  }
  return 0;
}

}  // namespace

KernelPlan launched(KernelPlan plan, const KernelModel& model, const Launch& launch) {
  const double more_s = more_launch_s(plan, model.resolved().memory, launch);
  TimeParts<double> parts;
  for (const Limiter limiter : enumerators<Limiter>)
    parts.add(limiter, plan.part_s[limiter] + (limiter == Limiter::launch ? more_s : 0));
  Planning trace;
  set_time(plan, parts, trace);
  return plan;
}

}  // namespace roofline
