#pragma once

#include "roofline/analysis.hpp"

namespace roofline {

/// Fills what follows from the result's rows: total, types, shares, accuracy. Throws OverflowError.
void sum_up(Result& result);

/// A sum is known as long as every part is.
void add_time(std::optional<double>& sum, const std::optional<double>& part);

}  // namespace roofline
