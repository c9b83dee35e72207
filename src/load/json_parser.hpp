#pragma once

// From a JSON text to the values that a document stores.

#include <optional>
#include <string>
#include <string_view>

#include "load/json.hpp"

namespace roofline {

/// Whether members are sorted by their keys, of which each may come once.
enum class KeyOrder { sorted, as_written };

/// Where a text stops being JSON.
struct JsonFault {
  std::size_t byte = 0;  ///< after as many
  std::string reason;
  bool is_number = false;  ///< one that a double cannot hold
  std::string pointer;     ///< of what was being read
};

struct ParsedJson {
  JsonNode root;
  std::optional<JsonFault> fault;
};

/// What the values refer to is kept in `document`. Throws InputError where a key comes twice that
/// may not, and where values nest more than 64 levels deep or are more than the limits allow.
ParsedJson parse_json(std::string_view text, KeyOrder order, JsonDocument& document);

/// Sorts members by their keys. Gives the first whose key comes twice, or null.
const JsonNode* sort_members(std::span<JsonNode> members);

/// Appends a key to a JSON Pointer, and only the beginning of a very long one.
void append_part(std::string& pointer, std::string_view key);
/// Appends the place of a part of an array or an object.
void append_part(std::string& pointer, bool is_element, std::size_t index, std::string_view key);

}  // namespace roofline
