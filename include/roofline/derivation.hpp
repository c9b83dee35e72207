#pragma once

// How the kernel model comes to a layer's expected time, in steps that a person can redo with a
// pocket calculator.

#include <string>
#include <vector>

#include "roofline/kernel.hpp"

namespace roofline {

/// One number. Expressions have the numbers put in, six significant digits of each (whole numbers
/// all), in base units, and know + - x / ^, parentheses, max, min, ceil, floor and sqrt: "ceil(1568
/// / 128) x 2". Sizes and constants have no expression.
struct DerivationStep {
  std::string quantity;    ///< its name, which later steps do not repeat: they show the number
  std::string expression;  ///< empty where the number is given
  double value = 0;
  std::string unit;  ///< "s", "byte", "FLOP/s", ...; empty for counts and shares
  std::vector<std::string>
      origins;  ///< where the number, or the constants in the expression, come from
};

/// The steps from the layer's counts to its plan, the same numbers that plan_kernel returns. The
/// last ones are the parts of the time that are not 0, by the names of their limiters, and
/// "expected time", their sum. Empty where plan_kernel gives no plan; an error where that gives
/// one.
Expected<std::vector<DerivationStep>> derive_kernel(const Layer& layer, const Counts& counts,
                                                    Engine engine, const KernelModel& model,
                                                    CacheState cache);

}  // namespace roofline
