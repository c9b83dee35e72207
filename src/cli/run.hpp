#pragma once

#include "cli/evaluator.hpp"

namespace roofline {

/// Does what is asked for. Returns the exit code. Throws OutputClosed, UsageError,
/// InputError, OutputError.
int run(const Request& request);

/// Evaluates the inputs in pieces of work on several threads, whose results are used in the order
/// of the pieces. `use` is called by one thread at a time. Throws what the first piece or its use
/// threw that threw anything; nothing after it is used.
void evaluate_in_order(std::span<const Expected<std::string>> inputs, const Request& request,
                       const Evaluator& evaluator, const Submit& use);

/// Fits the GPU's kernel model to the measured layers of all inputs, says what came of it, and
/// writes the GPU's file with the new constants. Returns the exit code. Throws UsageError,
/// InputError, OutputError.
int calibrate_inputs(const Request& request);

/// The networks of all inputs; a wrong one is named on standard error.
std::vector<Network> read_networks(const Request& request,
                                   const std::vector<Expected<std::string>>& inputs, bool& failed);

/// Prints a Python script that times layers with PyTorch on a GPU and writes what `roofline
/// calibrate` reads. The layers of the inputs stand in it, one a line, as they are; without inputs
/// those of the built-in networks and of configs/calibration, each in several types and passes.
/// Returns the exit code. Throws as calibrate_inputs does.
int write_measuring_script(const Request& request);

}  // namespace roofline
