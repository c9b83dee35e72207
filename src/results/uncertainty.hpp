#pragma once

// Which measured errors say how sure an expected time is, and how those of layers add up.

#include <optional>
#include <string>
#include <vector>

#include "kernel/measured_errors.hpp"
#include "roofline/analysis.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

/// The type that stands for those whose kernels have like errors: fp32, tf32, fp16 for 16 bits,
/// int8 for 8 bits and fewer.
DataType error_type_of(Engine engine);

/// Of a row with a kernel; none where nothing was measured that says. A mapping that the layer
/// states is nobody's library's: its kernel was not measured on any GPU.
std::optional<Uncertainty> layer_uncertainty(const LayerResult& row, const MeasuredErrors& errors);

/// Of the rows' time together. With l = ln factor of a row and s its share of the time,
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

/// Fills in those of a result's total and types.
void set_total_uncertainty(Result& result, const MeasuredErrors& errors);

}  // namespace roofline
