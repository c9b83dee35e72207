#pragma once

#include "roofline/analysis.hpp"

namespace roofline {

/// Gives the row the measured time that its layer states, where it was measured like this row: at
/// the same batch, of the same pass, on the same GPU, with caches in the same state. Where it is
/// below the bound, says why that may be.
void set_measured(LayerResult& row, const Context& context);

/// Whether the row's layer states a measured time that is of something else than this row.
bool is_not_compared(const LayerResult& row);

}  // namespace roofline
