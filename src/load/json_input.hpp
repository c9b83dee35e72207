#pragma once

// JSON as an input: one document, several one after the other, or one a line (NDJSON).

#include <memory>
#include <string_view>

#include "load/byte_stream.hpp"
#include "roofline/reader.hpp"

namespace roofline {

bool looks_like_ndjson(std::string_view head);
std::unique_ptr<Reader> open_json(std::unique_ptr<ByteStream> stream);
std::unique_ptr<Reader> open_ndjson(std::unique_ptr<ByteStream> stream);
/// NDJSON cut out of a longer text, of which its first line is that one; it may be empty.
std::unique_ptr<Reader> open_ndjson_from(std::unique_ptr<ByteStream> stream,
                                         std::size_t first_line);

}  // namespace roofline
