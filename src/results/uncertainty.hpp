#pragma once

// Which measured errors say how sure an expected time is, how those of layers add up, and what
// files of constants state of them.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernel/constants.hpp"
#include "roofline/analysis.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

/// The type that stands for those whose kernels have like errors: fp32, tf32, fp16 for 16 bits,
/// int8 for 8 bits and fewer.
DataType error_type_of(Engine engine);

/// How sure the time of a row with a kernel is; none where nothing was measured that says. A
/// mapping that the layer states is nobody's library's: its kernel was not measured on any GPU.
std::optional<Uncertainty> layer_uncertainty(const LayerResult& row, const MeasuredErrors& errors);

/// How sure the sum of the rows' times is. With l = ln factor of a row and s its share of the time,
///
///   ln^2 factor = c (sum of s l)^2 + (1 - c) sum over works of (sum of s l)^2 + r^2
///
/// Rows of the same work have the same error. c is the share of a layer's squared error that it has
/// in common with all others (TotalErrors::common_share), measured by sums of layers; r = ln
/// run_factor is what sets a whole network's run apart from the sum of its layers, each measured
/// alone, and 0 of rows that are no network. The same of factor_95. The basis is that of most of
/// the time. None where no row has an uncertainty.
std::optional<Uncertainty> total_uncertainty(const std::vector<const LayerResult*>& rows,
                                             bool is_network, const MeasuredErrors& errors);

/// Fills in how sure a result's total and types are.
void set_total_uncertainty(Result& result, const MeasuredErrors& errors);

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
