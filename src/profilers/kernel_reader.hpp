#pragma once

// A profiler's file as an input: one recording of kernels.

#include "load/whole_input.hpp"
#include "roofline/kernel_recording.hpp"

namespace roofline {

/// The recording, named after its file unless it has a name, in place of layers. Throws InputError
/// where it holds no kernels.
NetworkSpecs specs_of(KernelRecording recording, const ByteStream& stream);

}  // namespace roofline
