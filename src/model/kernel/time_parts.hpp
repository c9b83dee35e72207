#pragma once

// A span of time cut into what it goes to: the one way in which all kernels account for theirs.

#include <algorithm>
#include <array>

#include "roofline/kernel.hpp"

namespace roofline {

struct TimeParts {
  std::array<double, limiter_count> s{};  ///< indexed by Limiter; each >= 0

  double& operator[](Limiter limiter) { return s[static_cast<std::size_t>(limiter)]; }
  double operator[](Limiter limiter) const { return s[static_cast<std::size_t>(limiter)]; }

  /// Rounding may leave a difference of equal times below 0.
  void add(Limiter limiter, double part_s) { (*this)[limiter] += std::max(0.0, part_s); }
  void add(const TimeParts& parts, double share) {
    for (std::size_t i = 0; i < limiter_count; ++i) s[i] += share * parts.s[i];
  }
  double total() const {
    double sum = 0;
    for (const double part_s : s) sum += part_s;
    return sum;
  }
};

/// Time that arithmetic units issue for, of which `useful_share` is not on padding: the layer's own
/// FLOP take `flop_s` at the engine's sustained rate, whatever else is issued takes the rest.
inline void add_issue(TimeParts& parts, double issue_s, double useful_share, double flop_s) {
  const double useful_s = issue_s * useful_share;
  const double math_s = std::min(useful_s, flop_s);
  parts.add(Limiter::math, math_s);
  parts.add(Limiter::instructions, useful_s - math_s);
  parts.add(Limiter::tile_padding, issue_s - useful_s);
}

inline void set_time(KernelPlan& plan, const TimeParts& parts) {
  plan.part_s = parts.s;
  plan.expected_time_s = parts.total();
  const auto largest = std::max_element(parts.s.begin(), parts.s.end());
  plan.limiter = static_cast<Limiter>(largest - parts.s.begin());
  plan.limiter_share = plan.expected_time_s > 0 ? *largest / plan.expected_time_s : 0;
}

}  // namespace roofline
