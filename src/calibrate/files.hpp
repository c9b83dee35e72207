#pragma once

// The files of configs/calibration, which travel inside the program.

#include <string_view>

namespace roofline {

extern const std::string_view measure_py;
extern const std::string_view layers_ndjson;

}  // namespace roofline
