#pragma once

// What --fail-if finds.

#include <string>
#include <vector>

#include "roofline/gate.hpp"
#include "roofline/report.hpp"

namespace roofline {

struct GateReport {
  std::vector<std::string> lines;  ///< for standard error
  int exit_code = 0;  ///< 3 where a condition holds, 1 where one could not be evaluated
};

/// Without gates, nothing. A report without results has no answer to any.
GateReport check_gates(const std::vector<Gate>& gates, const Report& report);

}  // namespace roofline
