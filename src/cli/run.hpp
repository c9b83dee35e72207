#pragma once

// What a run does: an evaluation of its inputs in order, or a text.

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

/// Evaluates the inputs and writes the outputs: rows at once, all else at the end. Returns the exit
/// code: 1 if an input could not be evaluated.
int evaluate_inputs(const Request& request);

}  // namespace roofline
