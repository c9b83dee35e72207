#pragma once

// Collects the steps of a derivation.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/kernel/time_parts.hpp"
#include "roofline/derivation.hpp"

namespace roofline {

inline constexpr std::string_view seconds = "s";

class DerivationWriter {
 public:
  void given(std::string_view quantity, double value, std::string_view unit,
             std::string_view origin);
  void step(std::string_view quantity, std::string text, double value, std::string_view unit,
            std::string_view origin = "");
  /// The parts that are not 0 and their sum.
  void parts(const ExplainedParts& parts, const KernelPlan& plan);

  std::vector<DerivationStep> take() { return std::move(steps_); }

 private:
  std::vector<DerivationStep> steps_;
};

}  // namespace roofline
