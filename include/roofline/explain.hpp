#pragma once

// The derivation of one layer's numbers, with the numbers put in, on one screen.

#include <string>

#include "roofline/analysis.hpp"

namespace roofline {

/// `row` is of `result`, which is on `gpu`.
std::string explain(const LayerResult& row, const Result& result, const Gpu& gpu,
                    const AnalysisOptions& options);

}  // namespace roofline
