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

/// monostate where it is unknown. A view is of a name that outlives the cell.
using Cell = std::variant<std::monostate, std::string, std::string_view, std::uint64_t, double,
                          bool, JsonText>;

template <class T>
Cell cell(const std::optional<T>& value) {
  if (!value) return {};
  return Cell(*value);
}

inline Cell cell(std::string_view name) { return name; }
inline Cell cell(const char* name) { return std::string_view(name); }
Cell cell(std::string&& text) = delete;  // it would not outlive the cell

/// The name of an enumerator.
template <class E>
Cell optional_name(const std::optional<E>& value) {
  return value ? Cell(name_of(*value)) : Cell();
}

/// Text, with an empty one as unknown.
inline Cell text_or_null(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

/// The cell's text; none where it is something else.
std::optional<std::string_view> text_in(const Cell& cell);

/// As JSON has it: quoted and escaped, bytes that are not UTF-8 replaced; null where it is unknown
/// or not finite.
void append_json(std::string& out, const Cell& cell);
/// As CSV has it: quoted where need be, empty where unknown.
/// `raw`: also texts that spreadsheets run.
void append_csv(std::string& out, const Cell& cell, bool raw);
/// A JSON string.
void append_json_string(std::string& out, std::string_view text);
/// Digits.
void append_count(std::string& out, std::uint64_t count);

}  // namespace roofline
