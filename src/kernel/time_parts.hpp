#pragma once

// A span of time cut into what it goes to: the one way in which all kernels account for theirs.

#include <algorithm>

#include "kernel/formula.hpp"
#include "roofline/kernel.hpp"

namespace roofline {

template <class Number>
class TimeParts {
 public:
  /// Rounding may leave a difference of equal times below 0: no part.
  void add(Limiter limiter, const Number& part_s) {
    if (!(value_of(part_s) > 0)) return;
    parts_s_[limiter] = parts_s_[limiter] + part_s;
  }
  void scale(const Number& factor) {
    for (Number& part_s : parts_s_) part_s = factor * part_s;
  }
  const Number& operator[](Limiter limiter) const { return parts_s_[limiter]; }

 private:
  EnumArray<Limiter, Number> parts_s_{};
};

/// Time that arithmetic units issue for, of which `useful_share` is not on padding: the layer's own
/// FLOP take `flop_s` at the engine's practical rate, whatever else is issued takes the rest.
template <class Trace>
void add_issue(TimeParts<NumberOf<Trace>>& parts, const NumberOf<Trace>& issue_s,
               const NumberOf<Trace>& useful_share, const NumberOf<Trace>& flop_s, Trace& trace) {
  const auto useful_s =
      useful_share == 1 ? issue_s : trace.named("useful arithmetic", issue_s * useful_share, "s");
  const auto math_s = min({useful_s, flop_s});
  parts.add(Limiter::math, math_s);
  parts.add(Limiter::instructions, useful_s - math_s);
  parts.add(Limiter::tile_padding, issue_s - useful_s);
}

/// The parts that are not 0 and their sum: a plan's time.
template <class Trace>
void set_time(KernelPlan& plan, const TimeParts<NumberOf<Trace>>& parts, Trace& trace) {
  NumberOf<Trace> sum_s{};
  for (const Limiter limiter : enumerators<Limiter>) {
    const auto part_s = trace.summand(name_of(limiter), parts[limiter], "s");
    plan.part_s[limiter] = value_of(part_s);
    sum_s = sum_s + part_s;
  }
  plan.expected_time_s = value_of(trace.named("expected time", sum_s, "s"));
  const auto largest = std::max_element(plan.part_s.begin(), plan.part_s.end());
  plan.limiter = static_cast<Limiter>(largest - plan.part_s.begin());
  plan.limiter_share = plan.expected_time_s > 0 ? *largest / plan.expected_time_s : 0;
}

}  // namespace roofline
