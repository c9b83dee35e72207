#pragma once

// What the programs' main() share.

#include <functional>
#include <string>

namespace roofline {

/// Runs a program and returns its exit code; `name` begins the lines of its own errors.
int run_program(const std::string& name, const std::function<int()>& run);

}  // namespace roofline
