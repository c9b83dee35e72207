#pragma once

// Constants of the kernel model fitted to measured layers.
//
// The fit makes the mean of |ln(expected / measured)| small, in which errors beyond a factor of two
// count a third of their excess, so that a library's missteps pull little. It moves one constant
// after the other by a factor that shrinks from 1.3 to 1.02, within the constant's range, and keeps
// a step only where it lowers the mean by more than the constant's way from its first value costs:
// what the layers cannot tell apart stays where it was.
//
// Cross-validation fits again without a fifth of the networks at a time, and scores those; where
// all layers are of one network, without a fifth of the layers.
//
// A calibration makes nothing worse: a class of layers whose held-out error does not fall keeps the
// constants that its layers depend on, also those that others share with it, and the others are
// fitted again without these. So it goes on until every class either gains or is as it was.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/constants.hpp"
#include "roofline/accuracy.hpp"
#include "roofline/gpu.hpp"
#include "roofline/kernel.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

struct MeasuredLayer {
  Layer layer;
  Counts counts;
  Engine engine = Engine::fp32;
  CacheState cache = CacheState::warm;
  Launch launch;
  double measured_s = 0;
  std::string network;  ///< layers of one are left out together
  std::string source{};
  std::string where{};  ///< in the source: its line, or the layer's name
};

/// Errors by the constants as they were, as they are now, and by fits that had not seen the layer's
/// network.
struct CalibrationScore {
  std::size_t layers = 0;
  ModelError before;
  ModelError after;
  std::optional<ModelError> held_out;
};

struct CalibrationCell {
  LayerClass layer_class = LayerClass::dense;
  DataType dtype = DataType::fp32;
  Pass pass = Pass::fwd;
  CalibrationScore score;
};

struct FittedConstant {
  std::size_t index;  ///< in the order of constant_fields()
  double before;
  double after;
};

struct Calibration {
  ModelConstants constants;
  std::vector<FittedConstant> fitted;     ///< those that moved
  std::vector<std::size_t> undetermined;  ///< that some layer depends on, but too few or too little
  std::vector<std::size_t> frozen;        ///< that refused classes depend on
  std::size_t kept = 0;                   ///< determined, and best where they were
  std::size_t untouched = 0;              ///< that might have moved, but no layer depends on them
  std::vector<LayerClass> refused;        ///< that a fit did not help: they are as they were
  std::vector<CalibrationCell> cells;
  CalibrationScore all;
  /// ln(expected / measured) of each layer by a fit that had not seen its network; empty without
  /// cross-validation.
  std::vector<double> held_out_log_ratios;
  std::size_t networks = 0;
};

/// Fits the constants whose names fit the pattern ("dense.tensor.*"). `on_round` is called now and
/// then. At least one layer.
Calibration calibrate(const Gpu& gpu, const std::vector<MeasuredLayer>& layers,
                      const std::string& pattern, const std::function<void()>& on_round);

}  // namespace roofline
