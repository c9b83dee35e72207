#pragma once

#include <string>

#include "roofline/analysis.hpp"

namespace roofline {

/// Changes to the layer and what the kernel model makes of each; only those that gain 5 % or more.
std::string advice(const LayerResult& row, const Gpu& gpu, const AnalysisOptions& options);

}  // namespace roofline
