#pragma once

// Writes values without a tree: as JSON, on one line or indented by two, and as cells of CSV.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "roofline/enumeration.hpp"

namespace roofline {

class JsonWriter;

/// A view of a list or an object that is written on demand.
class JsonValue {
 public:
  /// `write_one(writer, what)` writes one value.
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

/// A value of a field; monostate: unknown. Texts, lists and objects are views to outlive the cell.
struct Cell
    : std::variant<std::monostate, std::string_view, std::uint64_t, double, bool, JsonValue> {
  using variant::variant;
  Cell() = default;
  Cell(std::string&& text) = delete;  // it would not outlive the cell
  template <Enumeration E>
  Cell(E enumerator) : variant(name_of(enumerator)) {}
  template <class T>
  Cell(const std::optional<T>& value) {
    if (value) *this = Cell(*value);
  }
};

inline bool is_known(const Cell& cell) { return !std::holds_alternative<std::monostate>(cell); }

inline Cell text_or_null(std::string_view text) { return text.empty() ? Cell() : Cell(text); }
Cell text_or_null(std::string&& text) = delete;

/// A member's key with all that stands around it, `,"name":`, to be copied whole. A constant: rows
/// repeat their keys.
struct JsonKey {
  static constexpr std::size_t room = 48;

  /// `name` is plain (is_plain) and short enough, or the constant does not compile.
  constexpr explicit JsonKey(std::string_view name) {
    for (const std::string_view part : {std::string_view(",\""), name, std::string_view("\":")})
      for (const char c : part) text.at(size++) = c;
  }

  std::array<char, room> text{};
  std::size_t size = 0;
};

/// Buffers short texts and numbers, faster than single appends. Must be flushed at the end.
class TextBuffer {
 public:
  explicit TextBuffer(std::string& out) : out_(out) {}
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  void add(char c) {
    *room(1) = c;
    ++used_;
  }
  void add(std::string_view text) {
    if (text.size() > gathered_.size() - used_) return add_beyond(text);
    copy(gathered_.data() + used_, text);
    used_ += text.size();
  }
  /// Between quotation marks, which `text` has none of.
  void add_quoted(std::string_view text) {
    if (text.size() + 2 > gathered_.size() - used_) {
      add('"');
      add(text);
      return add('"');
    }
    char* const first = gathered_.data() + used_;
    first[0] = '"';
    copy(first + 1, text);
    first[text.size() + 1] = '"';
    used_ += text.size() + 2;
  }
  void add(const JsonKey& key) {
    std::memcpy(room(JsonKey::room), key.text.data(), JsonKey::room);  // in a few moves
    used_ += key.size;
  }
  void add_count(std::uint64_t count) {
    if (count < 10)
      add(static_cast<char>('0' + count));
    else
      add_digits(count);
  }
  void add_counts(std::span<const std::uint64_t> counts);  ///< "[64,56,56]"
  /// The shortest digits that read back as the same finite number; whole numbers end in ".0".
  void add_number(double value);

  std::size_t size() const { return out_.size() + used_; }
  void flush();

 private:
  /// Short texts, as nearly all are, in two moves, which may overlap, without a call.
  static void copy(char* to, std::string_view text) {
    const auto move_ends = [&](auto first, auto last) {
      std::memcpy(&first, text.data(), sizeof first);
      std::memcpy(&last, text.data() + text.size() - sizeof last, sizeof last);
      std::memcpy(to, &first, sizeof first);
      std::memcpy(to + text.size() - sizeof last, &last, sizeof last);
    };
    if (text.size() > 2 * sizeof(std::uint64_t))
      std::memcpy(to, text.data(), text.size());
    else if (text.size() >= sizeof(std::uint64_t))
      move_ends(std::uint64_t{}, std::uint64_t{});
    else if (text.size() >= sizeof(std::uint32_t))
      move_ends(std::uint32_t{}, std::uint32_t{});
    else
      for (const char c : text) *to++ = c;
  }
  char* room(std::size_t most) {
    if (most > gathered_.size() - used_) flush();
    return gathered_.data() + used_;
  }
  void add_beyond(std::string_view text);
  void add_digits(std::uint64_t count);

  std::string& out_;
  std::array<char, 4096> gathered_;  // more than a row has
  std::size_t used_ = 0;
};

struct JsonMember {
  std::string_view name;
  Cell value;
};

/// Appends one value to a text, which is complete when the value is.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out, bool indented) : out_(out), indented_(indented) {}

  /// `name`: of this program, hence plain.
  JsonWriter& key(std::string_view name);
  /// Escapes texts, replaces invalid UTF-8, writes null for unknown and non-finite values. A
  /// JsonValue is on one line.
  JsonWriter& value(const Cell& cell);
  JsonWriter& counts(std::span<const std::uint64_t> counts);
  /// A text that is JSON already.
  JsonWriter& json(std::string_view text);
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }

  JsonWriter& member(std::string_view name, const Cell& cell) { return key(name).value(cell); }
  JsonWriter& member(const JsonKey& name, const Cell& cell) {
    if (!indented_ && has_items_) {
      out_.add(name);
    } else {
      separate();
      out_.add(std::string_view(name.text.data(), name.size).substr(1));
      if (indented_) out_.add(' ');
    }
    write(cell);
    return *this;
  }
  JsonWriter& members(std::initializer_list<JsonMember> members) {
    for (const JsonMember& each : members) member(each.name, each.value);
    return *this;
  }
  JsonWriter& object(std::initializer_list<JsonMember> all) {
    return begin_object().members(all).end_object();
  }
  template <class Range, class Write>
  JsonWriter& list(std::string_view name, const Range& range, const Write& write) {
    key(name).begin_array();
    for (const auto& each : range) write(each);
    return end_array();
  }
  /// A list of objects whose members `write` writes.
  template <class Range, class Write>
  JsonWriter& objects(std::string_view name, const Range& range, const Write& write) {
    return list(name, range, [&](const auto& each) {
      begin_object();
      write(each);
      end_object();
    });
  }
  /// An object whose members `write` writes; null without a value.
  template <class Optional, class Write>
  JsonWriter& optional(std::string_view name, const Optional& what, const Write& write) {
    key(name);
    if (!what) return value({});
    begin_object();
    write(*what);
    return end_object();
  }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate() {
    if (std::exchange(after_key_, false) || depth_ == 0) return;
    if (has_items_) out_.add(',');
    has_items_ = true;
    if (indented_) new_line();
  }
  void new_line();
  void add_string(std::string_view text);
  void write(const Cell& cell);
  void end_value() {
    if (depth_ == 0) out_.flush();
  }

  TextBuffer out_;
  bool indented_;
  std::size_t depth_ = 0;   ///< open arrays and objects
  bool has_items_ = false;  ///< of the innermost one
  bool after_key_ = false;
};

inline void JsonWriter::write(const Cell& cell) {
  if (const auto* text = std::get_if<std::string_view>(&cell)) {
    add_string(*text);
  } else if (const auto* count = std::get_if<std::uint64_t>(&cell)) {
    out_.add_count(*count);
  } else if (const auto* number = std::get_if<double>(&cell); number && std::isfinite(*number)) {
    out_.add_number(*number);
  } else if (const auto* flag = std::get_if<bool>(&cell)) {
    out_.add(*flag ? "true" : "false");
  } else if (const auto* json = std::get_if<JsonValue>(&cell)) {
    after_key_ = true;  // the separator is written already
    const bool indented = std::exchange(indented_, false);
    json->write(*this);
    indented_ = indented;
  } else {
    out_.add("null");
  }
}

inline void write_counts(JsonWriter& writer, std::span<const std::uint64_t> counts) {
  writer.counts(counts);
}

/// Quoted if needed, empty if unknown, with an apostrophe before what a spreadsheet would run.
void append_csv(TextBuffer& out, const Cell& cell);
/// Cells with commas between them, and the line's end.
void append_csv_row(TextBuffer& out, std::span<const Cell> cells);

}  // namespace roofline
