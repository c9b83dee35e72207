#pragma once

// Command lines of MIOpenDriver, in a file of their own or in a log of MIOpen
// (MIOPEN_ENABLE_LOGGING_CMD=1), and the times that the driver prints. Names of its options: the
// driver's own help (ROCm/MIOpen, driver).

#include <memory>
#include <string_view>

#include "load/byte_stream.hpp"
#include "roofline/reader.hpp"

namespace roofline {

bool looks_like_miopen_driver(std::string_view head);
std::unique_ptr<Reader> open_miopen_driver(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
