#pragma once

#include "roofline/analysis.hpp"

namespace roofline {

/// Fills what follows from the result's rows: total, types, shares, accuracy. Throws OverflowError.
void sum_up(Result& result);

}  // namespace roofline
