#pragma once

#include "cli/arguments.hpp"
#include "cli/options.hpp"

namespace roofline {

/// --chart and --plot, once the formats are set. Throws UsageError.
void set_charts(const Arguments& arguments, Options& options);

}  // namespace roofline
