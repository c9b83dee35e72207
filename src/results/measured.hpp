#pragma once

#include "roofline/analysis.hpp"

namespace roofline {

/// Gives the row the measured time that its layer states, where it was measured like this row: at
/// the same batch, of the same pass, on the same GPU, with caches in the same state. Where it is
/// below the bound, says why that may be. Times of another batch, pass or GPU fall away.
/// `gpu_is_known`: that it is this GPU, whatever its source calls it.
void set_measured(LayerResult& row, const Context& context, bool gpu_is_known);

}  // namespace roofline
