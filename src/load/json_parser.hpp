#pragma once

// Parses a JSON text into a document's values.

#include <optional>
#include <string>
#include <string_view>

#include "load/json.hpp"

namespace roofline {

/// `sorted`: by key, and no key twice. `as_written`: objects of few members alone.
enum class KeyOrder { sorted, as_written };

struct JsonFault {
  std::size_t byte = 0;  ///< offset
  std::string reason;
  bool is_number = false;  ///< a double cannot hold the number
  std::string pointer;     ///< of the value being read
};

struct ParsedJson {
  JsonNode root;
  std::optional<JsonFault> fault;
};

/// `document` owns what the values refer to. Throws InputError for repeated keys, more than 64
/// levels of nesting, and more values than the limits.
ParsedJson parse_json(std::string_view text, KeyOrder order, JsonDocument& document);

/// Finds the end of a value by its quotes and brackets.
struct ValueEnd {
  std::size_t at = 0;  ///< number of bytes examined
  std::size_t depth = 0;
  bool in_string = false;

  /// `text` begins with the value and the bytes examined before.
  bool is_in(std::string_view text);
};

/// The value that begins at the next byte, or the rest if it has no end; valid until the next call.
std::string_view peek_value(ByteStream& stream);

/// Returns the first member with a repeated key, or null.
const JsonNode* sort_members(std::span<JsonNode> members);

/// Appends a key, shortened if very long, to a JSON Pointer.
void append_part(std::string& pointer, std::string_view key);
void append_part(std::string& pointer, bool is_element, std::size_t index, std::string_view key);

}  // namespace roofline
