#pragma once

// Constants of the kernel model fitted to measured layers.
//
// The fit minimises the mean of |ln(expected / measured)|; errors beyond a factor of two count a
// third of their excess, so that a library's missteps weigh little. It moves one constant after the
// other by a factor which shrinks from 1.3 to 1.02, within the constant's range, and keeps a step
// only if the mean falls by more than the cost of the constant's drift: constants which the layers
// do not determine keep their values.
//
// Cross-validation repeats the fit without a fifth of the networks at a time (of the layers, if
// there is only one network), and scores these.
//
// A calibration makes nothing worse: a class of layers whose held-out error does not fall keeps the
// constants of its layers, even those shared with other classes, and the fit is repeated without
// them, until every class gains or is unchanged.

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
  std::string network;  ///< layers of a network are held out together
  std::string source{};
  std::string where{};  ///< in the source: its line, or the layer's name
};

/// With the original constants, the fitted ones, and by fits without the layer's network.
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
  std::vector<FittedConstant> fitted;
  std::vector<std::size_t> undetermined;  ///< some layers depend on them, but too few or too little
  std::vector<std::size_t> frozen;        ///< constants of refused classes
  std::size_t kept = 0;                   ///< determined, and best unchanged
  std::size_t untouched = 0;              ///< movable, but no layer depends on them
  std::vector<LayerClass> refused;        ///< not improved by the fit, so unchanged
  std::vector<CalibrationCell> cells;
  CalibrationScore all;
  /// ln(expected / measured) by fits without the layer's network; empty without cross-validation.
  std::vector<double> held_out_log_ratios;
  std::size_t networks = 0;
};

/// Fits constants whose names match the pattern ("dense.tensor.*"), to at least one layer.
Calibration calibrate(const Gpu& gpu, const std::vector<MeasuredLayer>& layers,
                      const std::string& pattern, const std::function<void()>& on_round);

}  // namespace roofline
