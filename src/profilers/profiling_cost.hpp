#pragma once

// A clock around every layer costs time of its own: the layers' times sum to more than a run takes.

#include <vector>

#include "profilers/engine_files.hpp"

namespace roofline {

/// Takes the same time off every layer that took any, so that they sum to the latency; a layer
/// keeps at least a tenth of its time. Returns what was taken off each; 0 where the sum is no
/// larger than the latency.
double take_off_profiling_cost(std::vector<LayerTime>& layers, double latency_s);

}  // namespace roofline
