#pragma once

// A library's search: of the rows that take a layer, the fastest runs it.

#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "kernel/formula.hpp"

namespace roofline {

/// The fastest of those considered, the first of equals.
template <class Candidate>
class Fastest {
 public:
  /// False for one that takes this time at least and cannot be it.
  bool may_be(double least_s) const { return !found_ || least_s < time_s_; }
  /// False if it is not.
  template <class Considered>
  bool consider(Considered&& candidate, double time_s) {
    if (!may_be(time_s)) return false;
    found_ = std::forward<Considered>(candidate);
    time_s_ = time_s;
    return true;
  }

  const std::optional<Candidate>& found() const { return found_; }
  std::optional<Candidate> take() { return std::exchange(found_, std::nullopt); }
  double time_s() const { return time_s_; }  ///< infinite before one is found

 private:
  std::optional<Candidate> found_;
  double time_s_ = std::numeric_limits<double>::infinity();
};

/// The plan on the fastest candidate, found in plain numbers. `plan_on(candidate, fastest, eval)`
/// is empty for one that does not run the layer, or that cannot be faster than the fastest so far.
template <class Number, class Candidates, class PlanOn>
std::optional<KernelPlan> plan_on_fastest(const Candidates& candidates, const PlanOn& plan_on,
                                          Eval<Number>& eval) {
  Planning planning;
  Fastest<KernelPlan> fastest;
  const typename Candidates::value_type* runs = nullptr;
  for (const auto& candidate : candidates) {
    std::optional<KernelPlan> plan = plan_on(candidate, fastest, planning);
    if (!plan) continue;
    const double time_s = plan->expected_time_s();
    if (fastest.consider(std::move(*plan), time_s)) runs = &candidate;
  }
  if constexpr (std::is_same_v<Number, double>) return fastest.take();
  return runs == nullptr ? std::nullopt : plan_on(*runs, Fastest<KernelPlan>{}, eval);
}

}  // namespace roofline
