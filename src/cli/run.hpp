#pragma once

// What a run does: an evaluation of its inputs in order, a calibration, or a text.

#include <span>
#include <string>

#include "cli/evaluator.hpp"
#include "cli/output.hpp"

namespace roofline {

/// Returns the exit code. Throws OutputClosed, UsageError, InputError, OutputError.
int run(const Request& request);

/// Evaluates on several threads. `use` gets the results in input order, one thread at a time.
/// Rethrows the first failure in input order and uses nothing after it.
void evaluate_in_order(std::span<const Expected<std::string>> inputs, const Request& request,
                       const Evaluator& evaluator, const Submit& use);

/// Fits the GPU's kernel model to measured layers and writes the GPU's file. Returns the exit code.
/// Throws UsageError, InputError, OutputError.
int calibrate_inputs(const Request& request);

/// Prints a Python script that times layers with PyTorch for `roofline calibrate`: those of the
/// inputs as they are, or else of the built-in networks and configs/calibration in several types
/// and passes. Returns the exit code. Throws as calibrate_inputs does.
int write_measuring_script(const Request& request);

/// Evaluates the inputs and writes the outputs: rows at once, all else at the end. Returns the exit
/// code: 1 if an input could not be evaluated.
int evaluate_inputs(const Request& request);

}  // namespace roofline
