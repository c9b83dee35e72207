#pragma once

// From the events of a trace to layers with measured times.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "pytorch/recording.hpp"
#include "roofline/spec.hpp"
#include "roofline/trace.hpp"

namespace roofline {

struct TraceNetwork {
  NetworkSpec network;
  TraceSummary summary;
};

/// What the recording lacks to have layers, and how to record it; none where it lacks nothing.
std::optional<std::string> why_no_layers(const Recording& recording);

/// The GPU that kernels name by that number; without a name where it is not listed.
RecordedGpu gpu_of(const Recording& recording, std::uint32_t device);

/// Of a recording that has operators with shapes. Throws InputError where it holds no GPU work, and
/// says how to record it, or no layers.
TraceNetwork network_of(Recording recording, const std::string& source);

}  // namespace roofline
