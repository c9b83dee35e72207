#pragma once

#include "cli/options.hpp"

namespace roofline {

/// Does what the options ask for. Returns the exit code. Throws OutputClosed, UsageError,
/// InputError, OutputError.
int run(const Options& options);

/// Fits the GPU's kernel model to the measured layers of all inputs, says what came of it, and
/// writes the GPU's file with the new constants. Returns the exit code. Throws UsageError,
/// InputError, OutputError.
int calibrate_inputs(const Options& options);

}  // namespace roofline
