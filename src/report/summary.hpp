#pragma once

// The grids that stand beside the rows of layers.

#include <string>

#include "report/grid.hpp"
#include "roofline/summary.hpp"

namespace roofline {

Grid type_grid(const Result& result);
Grid comparison_grid(const std::vector<ComparisonRow>& rows);
Grid sweep_grid(const Sweep& sweep);

Grid accuracy_grid(const Result& result);

/// Where growth turns linear, in a sentence.
std::string sweep_sentence(const Sweep& sweep);
/// What the network takes of the GPU's memory; empty where it is not known.
std::string memory_sentence(const Result& result);

}  // namespace roofline
