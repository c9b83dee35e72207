#pragma once

#include <string>

#include "roofline/report.hpp"

namespace roofline {

/// The derivation of one layer's numbers, with the numbers put in.
std::string explanation_text(const Explanation& explanation, const Result& result);

}  // namespace roofline
