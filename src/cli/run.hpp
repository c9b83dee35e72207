#pragma once

#include "cli/options.hpp"

namespace roofline {

/// Does what the options ask for. Returns the exit code. Throws OutputClosed, UsageError,
/// InputError, OutputError.
int run(const Options& options);

}  // namespace roofline
