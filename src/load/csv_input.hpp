#pragma once

// CSV: a header row of layer keys, then a layer a row.

#include <memory>

#include "load/byte_stream.hpp"
#include "roofline/reader.hpp"

namespace roofline {

std::unique_ptr<Reader> open_csv(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
