#include "model/kernel/time_parts.hpp"

namespace roofline {

KernelPlan without_launches(KernelPlan plan) {
  TimeParts parts{plan.part_s};
  parts.s[static_cast<std::size_t>(Limiter::launch)] = 0;
  set_time(plan, parts);
  return plan;
}

}  // namespace roofline
