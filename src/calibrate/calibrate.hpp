#pragma once

// What roofline-calibrate does.

#include <string>

#include "cli/request.hpp"

namespace roofline {

struct CalibrationRequest : Request {
  std::string fitted = "*";    ///< pattern of the constants that the fit may move
  double minutes = 10;         ///< duration of the script
  bool writes_script = false;  ///< in place of a fit
  bool shows_model = false;    ///< in place of a fit
};

/// Reads the GPUs and constants that the options name; prints errors of the user's other GPU files.
/// Throws UsageError, InputError.
CalibrationRequest make_calibration_request(int argc, const char* const* argv);

// All return the exit code and throw UsageError, InputError, OutputError.

int calibrate(const CalibrationRequest& request);

/// Fits the GPU's kernel model to measured layers and writes the GPU's file.
int calibrate_inputs(const CalibrationRequest& request);

/// Prints a Python script that times layers with PyTorch: those of the inputs as they are, or else
/// of the built-in networks and configs/calibration in several types and passes.
int write_measuring_script(const CalibrationRequest& request);

}  // namespace roofline
