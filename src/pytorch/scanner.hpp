#pragma once

// A Chrome trace as torch.profiler writes it, read once from start to end.

#include "load/byte_stream.hpp"
#include "pytorch/recording.hpp"

namespace roofline {

/// Throws InputError where the text is not JSON or ends early.
Recording scan_trace(ByteStream& stream);

}  // namespace roofline
