#pragma once

// Layer files as inputs: JSON (a document), NDJSON (one a line) and CSV (a header row of layer
// keys, then a layer a row).

#include <memory>
#include <string_view>

#include "load/whole_input.hpp"

namespace roofline {

bool looks_like_ndjson(std::string_view head);
/// Whether a header has a column that is a key of layers, or of rows that this program wrote.
bool looks_like_csv(std::string_view head);

NetworkSpecs read_json(ByteStream& stream, BadRows& bad);
std::unique_ptr<Reader> open_ndjson(std::unique_ptr<ByteStream> stream);
/// NDJSON cut out of a longer text, of which its first line is that one; it may be empty.
std::unique_ptr<Reader> open_ndjson_from(std::unique_ptr<ByteStream> stream,
                                         std::size_t first_line);
std::unique_ptr<Reader> open_csv(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
