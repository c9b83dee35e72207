#pragma once

#include "cli/options.hpp"

namespace roofline {

/// Before any work is done: each file to write can be written, none is read, and no two are the
/// same. Throws UsageError that names both, or OutputError.
void check_outputs(const Options& options);

/// Once GPUs are read, and the kernel models that their files name: none of these is written, also
/// where no name on the command line is that of the file.
/// Throws UsageError.
void check_unread(const Options& options);

}  // namespace roofline
