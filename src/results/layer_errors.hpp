#pragma once

// From errors of measured layers to what files of constants state of them.

#include <cstddef>
#include <string>
#include <vector>

#include "kernel/measured_errors.hpp"

namespace roofline {

/// How far the expected time of one measured layer was from the truth.
struct LayerError {
  LayerClass layer_class = LayerClass::dense;
  ElementCost cost = ElementCost::own;
  DataType dtype = DataType::fp32;  ///< as error_type_of() has it
  Pass pass = Pass::fwd;
  double log_ratio = 0;  ///< ln(expected / measured)
  std::size_t gpu = 0;   ///< a number for each: where there are several, each counts as much
};

/// Whose errors they are, and for whom they hold.
struct ErrorScope {
  UncertaintyBasis basis = UncertaintyBasis::measured;
  std::vector<std::string> applies_to;
  std::string origin;
  std::size_t least_layers = 40;  ///< that a quantile is taken of
};

/// Quantiles of |ln(expected / measured)| by class, type and pass, most keys first: those of fewer
/// keys where there are too few layers, and where more keys tell nothing.
std::vector<LayerErrors> layer_errors(const std::vector<LayerError>& errors,
                                      const ErrorScope& scope);

/// A distance from the truth, and how much it counts.
struct ErrorDistance {
  double log = 0;
  double weight = 1;
};

/// The least distance that this share of them does not exceed. At least one.
double quantile(std::vector<ErrorDistance> distances, double share);

/// What a factor and what a factor_95 hold.
inline constexpr double share_of_factor = 0.6827;
inline constexpr double share_of_factor_95 = 0.95;

}  // namespace roofline
