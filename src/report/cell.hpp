#pragma once

// Values of fields, before any format.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace roofline {

/// A value that is JSON already: a list or an object.
struct JsonText {
  std::string text;
};

/// monostate where it is unknown.
using Cell = std::variant<std::monostate, std::string, std::uint64_t, double, bool, JsonText>;

template <class T>
Cell cell(const std::optional<T>& value) {
  if (!value) return {};
  return Cell(*value);
}

inline Cell cell(std::string_view text) { return std::string(text); }

/// Text, with an empty one as unknown.
inline Cell text_or_null(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

/// As JSON has it: quoted and escaped, bytes that are not UTF-8 replaced; null where it is unknown
/// or not finite.
void append_json(std::string& out, const Cell& cell);
/// As CSV has it: quoted where need be, empty where unknown.
void append_csv(std::string& out, const Cell& cell);
/// A JSON string.
void append_json_string(std::string& out, std::string_view text);

}  // namespace roofline
