#pragma once

#include "roofline/analysis.hpp"

namespace roofline {

/// Where the measured time of the result's rows went; none where no row has one.
std::optional<MeasuredSummary> measured_summary(const Result& result, const Context& context);

}  // namespace roofline
