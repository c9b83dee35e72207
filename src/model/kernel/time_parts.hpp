#pragma once

// A span of time cut into what it goes to: the one way in which all kernels account for theirs.
//
// Code that cuts a time up is a template over what collects the parts: TimeParts for plans, or
// ExplainedParts, which also keeps how each came about. Texts are functions, so that plans make
// none.

#include <algorithm>
#include <cmath>
#include <string>

#include "model/kernel/expression.hpp"
#include "roofline/kernel.hpp"

namespace roofline {

/// Time of two streams of work that run together: the longer hides most of the shorter, less of it
/// the more alike they are.
inline double overlapped_s(double one_s, double other_s) { return std::hypot(one_s, other_s); }

struct TimeParts {
  EnumArray<Limiter, double> s{};  ///< indexed by Limiter; each >= 0

  /// Rounding may leave a difference of equal times below 0.
  template <class Text>
  void add(Limiter limiter, double part_s, const Text&) {
    s[limiter] += std::max(0.0, part_s);
  }
  void scale(double factor) {
    for (double& part_s : s) part_s *= factor;
  }
};

struct ExplainedParts {
  EnumArray<Limiter, std::string> text;

  template <class Text>
  void add(Limiter limiter, double part_s, const Text& summand) {
    if (part_s <= 0) return;
    std::string& part = text[limiter];
    part += (part.empty() ? "" : " + ") + summand();
  }
  void scale(double factor) {
    if (factor == 1) return;
    for (std::string& part : text)
      if (!part.empty()) part = expression(factor, " x (", part, ")");
  }
};

/// A part that is a number of its own.
template <class Parts>
void add_part(Parts& parts, Limiter limiter, double part_s) {
  parts.add(limiter, part_s, [&] { return expression(part_s); });
}

/// Time that arithmetic units issue for, of which `useful_share` is not on padding: the layer's own
/// FLOP take `flop_s` at the engine's sustained rate, whatever else is issued takes the rest.
template <class Parts>
void add_issue(Parts& parts, double issue_s, double useful_share, double flop_s) {
  const double useful_s = issue_s * useful_share;
  const double math_s = std::min(useful_s, flop_s);
  const auto math = [&] {
    return expression("min(", issue_s, Times{useful_share}, ", ", flop_s, ")");
  };
  parts.add(Limiter::math, math_s, math);
  parts.add(Limiter::instructions, useful_s - math_s,
            [&] { return expression(issue_s, Times{useful_share}, " - ", math()); });
  parts.add(Limiter::tile_padding, issue_s - useful_s,
            [&] { return expression(issue_s, " x (1 - ", useful_share, ")"); });
}

inline void set_time(KernelPlan& plan, const TimeParts& parts) {
  plan.part_s = parts.s;
  plan.expected_time_s = 0;
  for (const double part_s : parts.s) plan.expected_time_s += part_s;
  const auto largest = std::max_element(parts.s.begin(), parts.s.end());
  plan.limiter = static_cast<Limiter>(largest - parts.s.begin());
  plan.limiter_share = plan.expected_time_s > 0 ? *largest / plan.expected_time_s : 0;
}

}  // namespace roofline
