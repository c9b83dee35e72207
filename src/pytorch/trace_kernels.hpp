#pragma once

// Of a trace whose events do not say which layers ran: its kernels.

#include <optional>

#include "pytorch/recording.hpp"
#include "roofline/kernel_recording.hpp"

namespace roofline {

/// None where the trace has the shapes of operators, or no GPU work at all. What it lacks is a
/// note.
std::optional<KernelRecording> kernels_without_layers(const Recording& recording);

}  // namespace roofline
