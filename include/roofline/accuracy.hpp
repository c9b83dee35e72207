#pragma once

// How far predictions are from measured times.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/enumeration.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// Errors of one model, as ratios predicted / measured.
struct ModelError {
  double bias = 1;          ///< geometric mean of the ratios: above 1 is pessimistic
  double gerr = 1;          ///< exp of the mean |ln ratio|: 1.00 is perfect
  double median_error = 0;  ///< median of |ratio - 1|
  double within_25 = 0;     ///< share of layers with |ratio - 1| < 0.25
};

/// Layers whose kernels have little in common, scored apart.
enum class LayerClass : std::uint8_t {
  dense,      ///< contractions of one group
  grouped,    ///< grouped and depthwise convolutions
  attention,  ///< in one kernel
  movement,   ///< copies, reductions, rows picked by indices: what mostly recordings hold
  other,      ///< norms, activations, sums, pools: bound by memory
};

struct WorstLayer {
  std::string name;
  double ratio = 1;
};

/// The layers of one class, pass and data type that have both a measured and an expected time.
struct Accuracy {
  LayerClass layer_class = LayerClass::dense;
  Pass pass = Pass::fwd;
  DataType dtype = DataType::fp32;
  std::uint64_t layers = 0;
  ModelError expected;
  ModelError roofline;
  std::vector<WorstLayer> worst;  ///< of the expected times, worst first
};

struct TimedPair {
  double measured_s;
  double predicted_s;
};

/// At least one pair; times above 0.
ModelError model_error(const std::vector<TimedPair>& pairs);

}  // namespace roofline
