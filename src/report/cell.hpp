#pragma once

// Values of fields, before any format. They are views: what they are of outlives them.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "report/appender.hpp"

namespace roofline {

class JsonWriter;

/// A list or an object, which is written where it is wanted.
class JsonValue {
 public:
  /// Of `what`, by a function of a writer and it that writes one value.
  template <auto write_one, class T>
  static JsonValue of(const T& what) {
    return {&what, [](JsonWriter& writer, const void* any) {
              write_one(writer, *static_cast<const T*>(any));
            }};
  }

  void write(JsonWriter& writer) const { write_(writer, what_); }

 private:
  using Write = void (*)(JsonWriter&, const void*);
  JsonValue(const void* what, Write function) : what_(what), write_(function) {}

  const void* what_;
  Write write_;
};

/// monostate where it is unknown.
struct Cell
    : std::variant<std::monostate, std::string_view, std::uint64_t, double, bool, JsonValue> {
  using variant::variant;
  Cell() = default;
  Cell(std::string&& text) = delete;  // it would not outlive the cell
};

inline bool is_known(const Cell& cell) { return !std::holds_alternative<std::monostate>(cell); }

template <class T>
Cell cell(const std::optional<T>& value) {
  if (!value) return {};
  return Cell(*value);
}

inline Cell cell(std::string_view name) { return name; }
inline Cell cell(const char* name) { return std::string_view(name); }
Cell cell(std::string&& text) = delete;

/// The name of an enumerator.
template <class E>
Cell optional_name(const std::optional<E>& value) {
  return value ? Cell(name_of(*value)) : Cell();
}

/// Text, with an empty one as unknown.
inline Cell text_or_null(std::string_view text) { return text.empty() ? Cell() : Cell(text); }
Cell text_or_null(std::string&& text) = delete;

/// As CSV has it: quoted where need be, empty where unknown.
/// `raw`: also texts that spreadsheets run.
void append_csv(Appender& out, const Cell& cell, bool raw);

}  // namespace roofline
