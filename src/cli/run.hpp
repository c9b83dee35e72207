#pragma once

#include "cli/options.hpp"

namespace roofline {

/// Evaluates all inputs and writes what was asked for. Returns the exit code: 1 where an input
/// could not be evaluated. Throws UsageError, OutputError.
int evaluate_inputs(Options options);

}  // namespace roofline
