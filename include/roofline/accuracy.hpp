#pragma once

// How far predictions were from measured times, and how far the truth may lie from an expected one.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/enumeration.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// Errors of one model, as ratios predicted / measured.
struct ModelError {
  double bias = 1;             ///< geometric mean of the ratios: above 1 is pessimistic
  double geometric_error = 1;  ///< exp of the mean |ln ratio|: 1.00 is perfect
  double median_error = 0;     ///< median of |ratio - 1|
  double within_25 = 0;        ///< share of layers with |ratio - 1| < 0.25
  double within_30 = 0;        ///< the same with 0.3
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
  std::vector<WorstLayer> worst;  ///< by their expected times, worst first
};

struct LayerResult;

LayerClass class_of(const Layer& layer);

/// The accuracy of each class, pass and data type that has measured layers.
std::vector<Accuracy> score(const std::vector<LayerResult>& rows);

struct TimedPair {
  double measured_s;
  double predicted_s;
};

/// The error of at least one pair; times above 0.
ModelError model_error(const std::vector<TimedPair>& pairs);

/// Whose errors they are: the nearest to the GPU that were measured. In falling order of trust.
enum class UncertaintyBasis : std::uint8_t {
  measured,      ///< this GPU's: the kernel model was calibrated on it
  architecture,  ///< those of GPUs that the fit had not seen, of the architecture that it had
  datasheet,     ///< those of GPUs of architectures that it had not seen
};

/// What an expected time was that has such errors, in words.
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
/// How a whole network came here and is to run, where that errs beyond the sum of its layers.
enum class RunWay : std::uint8_t {
  layers,    ///< layers as they stand in a file, or in a recording
  program,   ///< what PyTorch exported, operator by operator
  compiled,  ///< by torch.compile
};

struct Uncertainty {
  double factor = 1;
  double factor_95 = 1;
  UncertaintyBasis basis = UncertaintyBasis::datasheet;
};

}  // namespace roofline
