#pragma once

// Errors of the kernel model, as files of constants hold them (configs/kernels, "accuracy").

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofline/accuracy.hpp"
#include "roofline/data_type.hpp"
#include "roofline/gpu.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// Of single layers of one kind. What is absent stands for any.
struct LayerErrors {
  UncertaintyBasis basis = UncertaintyBasis::datasheet;
  /// GPUs by name where the basis is measured, architectures and compute capabilities where it is
  /// architecture; else empty.
  std::vector<std::string> applies_to;
  std::optional<LayerClass> layer_class;
  std::vector<ElementCost> costs;  ///< what of the class was measured; empty: all of it
  std::optional<DataType> dtype;   ///< one of error_type_of()
  std::optional<Pass> pass;
  std::uint64_t layers = 0;  ///< how many were measured
  double factor = 1;
  double factor_95 = 1;
  std::string origin;

  bool operator==(const LayerErrors&) const = default;
};

/// Of sums of layers, and of runs of whole networks: see total_uncertainty().
struct TotalErrors {
  UncertaintyBasis basis = UncertaintyBasis::datasheet;
  double common_share = 0;
  double run_factor = 1;
  double run_factor_95 = 1;
  std::uint64_t runs = 0;  ///< how many were measured
  std::string origin;

  bool operator==(const TotalErrors&) const = default;
};

struct MeasuredErrors {
  std::vector<LayerErrors> layers;
  std::vector<TotalErrors> totals;

  bool operator==(const MeasuredErrors&) const = default;
};

/// Those that hold for the GPU, the nearest basis first and what says most of a layer before what
/// says less. A set's own errors come before those that it inherits.
MeasuredErrors errors_of(const Gpu& gpu, const MeasuredErrors& all);

}  // namespace roofline
