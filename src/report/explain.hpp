#pragma once

#include <string>

#include "roofline/report.hpp"

namespace roofline {

/// The derivation of one layer's numbers, with the numbers put in.
std::string explanation_text(const Explanation& explanation, const Result& result);

/// The way to the expected time, a line a step, and where its constants come from.
std::string derivation_text(const std::vector<DerivationStep>& steps);

}  // namespace roofline
