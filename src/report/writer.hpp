#pragma once

// Values of fields, and how they are written: as JSON, which comes out as it is written, without a
// tree, on one line or indented by two; and as cells of CSV.

#include <algorithm>
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

/// A list or an object, which is written where it is wanted.
class JsonValue {
 public:
  /// A view of `what`, which `write_one(writer, what)` writes as one value.
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

/// A field's value before any format has it, monostate where it is unknown. Texts, lists and
/// objects are views of something that has to outlive the cell.
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

/// An empty text is unknown.
inline Cell text_or_null(std::string_view text) { return text.empty() ? Cell() : Cell(text); }
Cell text_or_null(std::string&& text) = delete;

/// Short texts and numbers, gathered on their way to the end of a string: appending them to it one
/// by one would take longer. Must be flushed at the end.
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
    std::memcpy(gathered_.data() + used_, text.data(), text.size());
    used_ += text.size();
  }
  /// The first characters of a block, all of which is copied: a fixed size takes no call.
  template <std::size_t block_size>
  void add(std::span<const char, block_size> block, std::size_t size) {
    std::memcpy(room(block_size), block.data(), block_size);
    used_ += size;
  }
  void add_count(std::uint64_t count) {
    if (count < 10)
      add(static_cast<char>('0' + count));
    else
      add_digits(count);
  }
  /// The shortest digits that read back as the same number, which has to be finite; ".0" ends a
  /// whole one.
  void add_number(double value);

  /// How long the string is with all that was added.
  std::size_t size() const { return out_.size() + used_; }
  void flush();

 private:
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

/// A key as it is written after another member, `,"name":`, made once for many rows. Names are
/// those of fields: plain, and short enough for a block of one size.
class JsonKey {
 public:
  constexpr explicit JsonKey(std::string_view name) : size_(name.size() + 4) {
    if (size_ > block_size) throw std::length_error("JsonKey: " + std::string(name));
    constexpr std::string_view before = ",\"", after = "\":";
    auto end = std::copy(before.begin(), before.end(), text_.begin());
    end = std::copy(name.begin(), name.end(), end);
    std::copy(after.begin(), after.end(), end);
  }

 private:
  friend class JsonWriter;
  static constexpr std::size_t block_size = 32;
  std::array<char, 1 + block_size> text_{};  ///< a block from the comma on, or from behind it
  std::size_t size_;
};

struct JsonMember {
  std::string_view name;
  Cell value;
};

/// Appends one value to a text, which holds it once it is whole.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out, bool indented) : out_(out), indented_(indented) {}

  JsonWriter& key(std::string_view name);
  JsonWriter& key(const JsonKey& key) {
    add_key(key);
    after_key_ = true;
    return *this;
  }
  /// Texts are quoted and escaped, bytes that are not UTF-8 replaced; null is what is unknown or
  /// not finite. The lists and objects of a JsonValue stand on one line.
  JsonWriter& value(const Cell& cell);
  JsonWriter& counts(std::span<const std::uint64_t> counts);
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }

  JsonWriter& member(std::string_view name, const Cell& cell) { return key(name).value(cell); }
  JsonWriter& member(const JsonKey& key, const Cell& cell) {
    add_key(key);
    write(cell);
    return *this;
  }
  /// Several members of the object that is open.
  JsonWriter& members(std::initializer_list<JsonMember> members) {
    for (const JsonMember& each : members) member(each.name, each.value);
    return *this;
  }
  JsonWriter& object(std::initializer_list<JsonMember> all) {
    return begin_object().members(all).end_object();
  }
  /// A member that is a list: `write` writes a value for each.
  template <class Range, class Write>
  JsonWriter& list(std::string_view name, const Range& range, const Write& write) {
    key(name).begin_array();
    for (const auto& each : range) write(each);
    return end_array();
  }
  /// A member that is an object, whose members `write` writes; null where there is nothing.
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
  /// What stands before a value or a key.
  void separate() {
    if (after_key_)
      after_key_ = false;
    else if (depth_ > 0)
      begin_item();
  }
  void begin_item() {
    if (has_items_) out_.add(',');
    has_items_ = true;
    if (indented_) new_line();
  }
  void new_line();
  void add_key(const JsonKey& key) {
    if (has_items_ && !indented_)
      out_.add(std::span(key.text_).first<JsonKey::block_size>(), key.size_);
    else
      add_first_key(key);
  }
  /// A key that begins its object or its line.
  void add_first_key(const JsonKey& key);
  void add_string(std::string_view text);
  void write(const Cell& cell);
  void end_value() {
    if (depth_ == 0) out_.flush();
  }

  TextBuffer out_;
  bool indented_;
  std::size_t depth_ = 0;   ///< open arrays and objects
  bool has_items_ = false;  ///< the innermost one
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
    after_key_ = true;  // what stands before the value is there already
    const bool indented = std::exchange(indented_, false);
    json->write(*this);
    indented_ = indented;
  } else {
    out_.add("null");
  }
}

/// For JsonValue::of.
inline void write_counts(JsonWriter& writer, std::span<const std::uint64_t> counts) {
  writer.counts(counts);
}

/// A cell of CSV: quoted where need be, empty where the value is unknown. An apostrophe stands
/// before what a spreadsheet would run.
void append_csv(TextBuffer& out, const Cell& cell);

}  // namespace roofline
