#pragma once

// The way from counts to a kernel's expected time, in steps that a person can redo.

#include <string>

namespace roofline {

struct DerivationStep {
  std::string quantity;    ///< what is worked out
  std::string expression;  ///< how, with the numbers put in
  double value = 0;
  std::string unit;
  std::string origin;  ///< where a constant comes from; empty for what follows from others
};

}  // namespace roofline
