#pragma once

// From the events of a trace to layers with measured times.

#include <memory>
#include <string>

#include "load/trace/recording.hpp"
#include "roofline/spec.hpp"
#include "roofline/trace.hpp"

namespace roofline {

struct TraceNetwork {
  NetworkSpec network;
  TraceSummary summary;
};

/// Throws InputError where the recording holds no GPU work or no operators with shapes, and says
/// how to record them.
TraceNetwork network_of(Recording recording, const std::string& source);

}  // namespace roofline
