#pragma once

// CSV: a header row of layer keys, then a layer a row.

#include <memory>
#include <string_view>

#include "load/byte_stream.hpp"
#include "roofline/reader.hpp"

namespace roofline {

bool looks_like_csv(std::string_view head);
std::unique_ptr<Reader> open_csv(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
