#pragma once

// PyTorch's input formats, one network each.

#include "load/whole_input.hpp"

namespace roofline {

bool looks_like_trace(std::string_view head);
Items read_trace(ByteStream& stream);

Items read_exported_programs(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
