#pragma once

// How far the truth may lie from an expected time, from errors that were measured.

#include <cstdint>
#include <string_view>

#include "roofline/enumeration.hpp"

namespace roofline {

/// Whose errors they are: the nearest to the GPU that were measured. In falling order of trust.
enum class UncertaintyBasis : std::uint8_t {
  measured,      ///< this GPU's: the kernel model was calibrated on it
  architecture,  ///< those of GPUs that the fit had not seen, of the architecture that it had
  datasheet,     ///< those of GPUs of architectures that it had not seen
};

/// The same in words, of what an expected time was.
constexpr std::string_view meaning_of(UncertaintyBasis basis) {
  switch (basis) {
    case UncertaintyBasis::measured: return "calibrated on this GPU";
    case UncertaintyBasis::architecture: return "calibrated on its architecture";
    case UncertaintyBasis::datasheet: return "carried over from the datasheet";
  }
  return "";
}

/// Of 100 measured times, 68 lie between expected / factor and expected x factor, 95 between
/// expected / factor_95 and expected x factor_95. They are quantiles of |ln(expected / measured)|,
/// so that a bias is included. Errors have heavy tails: factor_95 is more than the square of
/// factor, which it would be of a normal distribution of the logarithm.
struct Uncertainty {
  double factor = 1;
  double factor_95 = 1;
  UncertaintyBasis basis = UncertaintyBasis::datasheet;
};

}  // namespace roofline
