#pragma once

// PyTorch's input formats, one network each.

#include <memory>
#include <string_view>

#include "load/byte_stream.hpp"
#include "load/whole_input.hpp"
#include "roofline/load.hpp"

namespace roofline {

bool looks_like_trace(std::string_view head);
Items read_trace(ByteStream& stream);

Items read_exported_programs(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
