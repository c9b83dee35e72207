#pragma once

// Traces of torch.profiler as an input format: one network, its layers measured.

#include <memory>

#include "load/byte_stream.hpp"
#include "roofline/load.hpp"

namespace roofline {

bool looks_like_trace(std::string_view head);
std::unique_ptr<Reader> open_trace(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
