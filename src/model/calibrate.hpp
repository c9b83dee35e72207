#pragma once

// Constants of the kernel model fitted to measured layers.
//
// The fit makes the mean of |ln(expected / measured)| small, in which errors beyond a factor of two
// count a third of their excess, so that a library's missteps pull little. It moves one constant
// after the other by a factor that shrinks from 1.3 to 1.02, within the constant's range, and keeps
// a step only where it lowers the mean by more than the constant's way from its first value costs:
// what the layers cannot tell apart stays where it was.
//
// Cross-validation fits again without a fifth of the networks at a time, and scores those.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "model/kernel/constants.hpp"
#include "roofline/accuracy.hpp"
#include "roofline/counts.hpp"
#include "roofline/gpu.hpp"
#include "roofline/kernel.hpp"

namespace roofline {

struct MeasuredLayer {
  Layer layer;
  Counts counts;
  Engine engine = Engine::fp32;
  CacheState cache = CacheState::warm;
  Launch launch;
  double measured_s = 0;
  std::string network;  ///< layers of one are left out together
};

struct CalibrationCell {
  LayerClass layer_class = LayerClass::dense;
  DataType dtype = DataType::fp32;
  Pass pass = Pass::fwd;
  std::size_t layers = 0;
  ModelError before;
  ModelError after;
  std::optional<ModelError> held_out;  ///< of fits that had not seen the layer's network
};

struct FittedConstant {
  std::size_t index;  ///< in the order of constants_of
  double before;
  double after;
};

struct Calibration {
  ModelConstants constants;
  std::vector<FittedConstant> fitted;     ///< those that moved
  std::vector<std::size_t> undetermined;  ///< that some layer depends on, but too few or too little
  std::size_t kept = 0;                   ///< determined, and best where they were
  std::vector<CalibrationCell> cells;
  /// ln(expected / measured) of each layer by a fit that had not seen its network; empty without
  /// cross-validation.
  std::vector<double> held_out_log_ratios;
  std::size_t networks = 0;
};

struct CalibrationOptions {
  std::string pattern = "*";  ///< of the names of the constants that may move, "dense.tensor.*"
  std::size_t folds = 5;      ///< fewer where there are fewer networks; 0: no cross-validation
};

/// Fits. `progress` is told how much of the whole is done, from 0 to 1. At least one layer.
Calibration calibrate(const Gpu& gpu, const std::vector<MeasuredLayer>& layers,
                      const CalibrationOptions& options,
                      const std::function<void(double)>& progress);

}  // namespace roofline
