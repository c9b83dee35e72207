#pragma once

#include "roofline/analysis.hpp"

namespace roofline {

/// The verdict on a result that has a measured summary.
Verdict verdict_of(const Result& result, const Context& context);

}  // namespace roofline
