#pragma once

// What is printed without any input: help, lists, one GPU, one kernel model.

#include <string>

#include "cli/options.hpp"

namespace roofline {

/// Throws as named_gpus does.
std::string printed_text(const Options& options);

}  // namespace roofline
