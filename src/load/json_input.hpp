#pragma once

// JSON: one document, several one after the other, or one a line (NDJSON).

#include <memory>
#include <utility>

#include "load/byte_stream.hpp"
#include "roofline/reader.hpp"

namespace roofline {

bool looks_like_ndjson(std::string_view head);
std::unique_ptr<Reader> open_json(std::unique_ptr<ByteStream> stream);
std::unique_ptr<Reader> open_ndjson(std::unique_ptr<ByteStream> stream);
/// NDJSON cut out of a longer text, of which its first line is that one; it may be empty.
std::unique_ptr<Reader> open_ndjson_from(std::unique_ptr<ByteStream> stream,
                                         std::size_t first_line);

/// An item whose specs do not depend on the settings.
Item fixed_item(std::shared_ptr<const NetworkSpec> spec);
/// A record that is read, once, by whoever asks for it.
template <class Read>
Item record_item(Read read, std::size_t line) {
  return {[read = std::move(read),
           spec = std::shared_ptr<const NetworkSpec>()](const LayerDefaults&) mutable {
            if (spec == nullptr) spec = read();
            return spec;
          },
          line};
}

}  // namespace roofline
