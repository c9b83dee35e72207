#pragma once

#include <cstdint>
#include <string>

#include "roofline/report.hpp"

namespace roofline {

enum class ExplanationLength : std::uint8_t {
  lecture,  ///< the steps that one does by hand, and where to find the others
  whole,    ///< all that the expected time is derived from as well
};

/// How one layer's numbers come about, with the numbers put in.
std::string explanation_text(const Explanation& explanation, const Result& result,
                             ExplanationLength length);

/// The way to the expected time, a line a step, and where its constants come from.
std::string derivation_text(const std::vector<DerivationStep>& steps);

}  // namespace roofline
