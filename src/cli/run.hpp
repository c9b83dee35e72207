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

/// A Python script that times layers with PyTorch on a GPU, for `minutes` unless told otherwise,
/// and writes what `roofline calibrate` reads. Layers of the built-in networks and of
/// configs/calibration stand in it, one a line.
std::string measuring_script(double minutes);

}  // namespace roofline
