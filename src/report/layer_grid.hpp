#pragma once

// The rows of layers as a grid: of a file every layer with its whole name, on a terminal the rows
// that matter in as many columns as there are.

#include <vector>

#include "report/grid.hpp"
#include "roofline/render.hpp"

namespace roofline {

/// Of `results`, indices into the report's, that share a table: one network, or several inputs of
/// one layer each.
Grid layer_grid(const Report& report, const std::vector<std::size_t>& results,
                const RenderStyle& style);

/// Whether layers that are alike are one row in files too: in a recording they have one time, the
/// mean of all.
bool folds_everywhere(const Result& result);

}  // namespace roofline
