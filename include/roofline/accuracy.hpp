#pragma once

// How far predictions are from measured times, and the uncertainty of an expected time.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/enumeration.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// Errors of one model, from the ratios predicted / measured.
struct ModelError {
  double bias = 1;             ///< geometric mean of the ratios; above 1 is pessimistic
  double geometric_error = 1;  ///< exp of the mean |ln ratio|: 1.00 is perfect
  double median_error = 0;     ///< median of |ratio - 1|
  double within_25 = 0;        ///< share of layers with |ratio - 1| < 0.25
  double within_30 = 0;        ///< share of layers with |ratio - 1| < 0.3
};

/// Layers whose kernels have little in common are scored apart.
enum class LayerClass : std::uint8_t {
  dense,      ///< contractions with one group
  grouped,    ///< grouped and depthwise convolutions
  attention,  ///< in one fused kernel
  movement,   ///< copies, reductions, gathers: frequent in recordings
  other,      ///< norms, activations, sums, pools: bound by memory
};

struct WorstLayer {
  std::string name;
  double ratio = 1;
};

/// Scores of the layers of one class, pass and data type with a measured and an expected time.
struct Accuracy {
  LayerClass layer_class = LayerClass::dense;
  Pass pass = Pass::fwd;
  DataType dtype = DataType::fp32;
  std::uint64_t layers = 0;
  ModelError expected;
  ModelError roofline;
  std::vector<WorstLayer> worst;  ///< by expected time, worst first
};

struct LayerResult;

LayerClass class_of(const Layer& layer);

/// One entry for each class, pass and data type with measured layers.
std::vector<Accuracy> score(const std::vector<LayerResult>& rows);

struct TimedPair {
  double measured_s;
  double predicted_s;
};

/// `pairs` holds at least one pair, all times above 0.
ModelError model_error(const std::vector<TimedPair>& pairs);

/// The GPUs whose errors an uncertainty comes from, in falling order of trust.
enum class UncertaintyBasis : std::uint8_t {
  measured,      ///< this GPU: the kernel model was calibrated on it
  architecture,  ///< GPUs left out of the fit, of an architecture in it
  datasheet,     ///< GPUs of architectures left out of the fit
};

/// Origin of an expected time with this basis, in words.
constexpr std::string_view meaning_of(UncertaintyBasis basis) {
  switch (basis) {
    case UncertaintyBasis::measured: return "calibrated on this GPU";
    case UncertaintyBasis::architecture: return "calibrated on its architecture";
    case UncertaintyBasis::datasheet: return "carried over from the datasheet";
  }
  return "";
}

/// Origin of a whole network, where its error exceeds the sum of its layers' errors.
enum class RunWay : std::uint8_t {
  layers,    ///< layers of a file or a recording
  program,   ///< a PyTorch export, operator by operator
  compiled,  ///< compiled by torch.compile
};

/// 68 of 100 measured times lie between expected / factor and expected x factor, 95 between
/// expected / factor_95 and expected x factor_95. Both factors are quantiles of |ln(expected /
/// measured)|, so they include a bias. Errors have heavy tails: factor_95 exceeds factor^2, its
/// value under a log-normal distribution.
struct Uncertainty {
  double factor = 1;
  double factor_95 = 1;
  UncertaintyBasis basis = UncertaintyBasis::datasheet;
};

}  // namespace roofline
