#pragma once

// What is made of measured times.

#include <optional>

#include "roofline/analysis.hpp"

namespace roofline {

/// Gives the row the measured time that its layer states, where it was measured like this row: at
/// the same batch, of the same pass, on the same GPU, with caches in the same state. Where it is
/// below the bound, says why that may be. Times of another batch, pass or GPU fall away.
/// `gpu_is_known`: that it is this GPU, whatever its source calls it.
void set_measured(LayerResult& row, const Context& context, bool gpu_is_known);

/// Where the measured time of the result's rows went; none where no row has one.
std::optional<MeasuredSummary> measured_summary(const Result& result, const Context& context);

/// The verdict on a result that has such a summary.
Verdict verdict_of(const Result& result, const Context& context);

}  // namespace roofline
