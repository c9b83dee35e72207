#pragma once

#include <string>
#include <vector>

#include "cli/options.hpp"

namespace roofline {

/// The GPUs of these names. What is wrong with other files in the person's own folder is said on
/// standard error. Throws as Catalogue::find does.
std::vector<Gpu> named_gpus(const std::vector<std::string>& names);

/// Evaluates all inputs and writes what was asked for. Returns the exit code: 1 where an input
/// could not be evaluated. Throws UsageError, OutputError.
int evaluate_inputs(Options options);

}  // namespace roofline
