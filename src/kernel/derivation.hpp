#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "roofline/error.hpp"
#include "roofline/gpu.hpp"
#include "roofline/kernel.hpp"
#include "roofline/layer.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

/// One number with its derivation. Expressions contain numbers in base units, with six significant
/// digits (whole numbers with all), and + - x / ^, parentheses, max, min, ceil, floor and sqrt:
/// "ceil(1568 / 128) x 2". Sizes and constants have no expression.
struct DerivationStep {
  std::string quantity;    ///< name; later steps show the number instead
  std::string expression;  ///< empty for given numbers
  double value = 0;
  std::string unit;  ///< "s", "byte", "FLOP/s", ...; empty for counts and shares
  std::vector<std::string>
      origins;  ///< sources of the number, or of the constants in the expression
};

/// The quantity of the step that has the number of the row by which the library's kernel was
/// chosen, as render_kernel_rows() lists it.
inline constexpr std::string_view chosen_row = "row that chose the kernel";

/// The steps from a layer's counts to its plan, with the numbers of plan_kernel. The last ones are
/// the non-zero parts of the time, named by limiter, and their sum, "expected time". Empty if
/// plan_kernel gives no plan; the same errors.
Expected<std::vector<DerivationStep>> derive_kernel(const Layer& layer, const Counts& counts,
                                                    Engine engine, const KernelModel& model,
                                                    CacheState cache);

}  // namespace roofline
