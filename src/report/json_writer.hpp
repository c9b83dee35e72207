#pragma once

// JSON text written as it comes, without a tree: on one line, or indented by two.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/cell.hpp"

namespace roofline {

/// A key as it is written after another member, `,"name":`, made once for many rows. Names are
/// those of fields: plain, and short enough for a block of one size, which is copied without a
/// call.
class JsonKey {
 public:
  explicit JsonKey(std::string_view name);

 private:
  friend class JsonWriter;
  static constexpr std::size_t block_size = 32;
  std::array<char, 1 + block_size> text_{};  ///< a block from the comma on, or from behind it
  std::size_t size_;
};

/// Appends one value to a text, where it stands once it is whole.
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
  /// not finite. Lists and objects stand on one line.
  JsonWriter& value(const Cell& cell);
  JsonWriter& counts(std::span<const std::uint64_t> counts);
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& member(std::string_view name, const Cell& cell) { return key(name).value(cell); }
  JsonWriter& member(const JsonKey& key, const Cell& cell);

 private:
  struct WriteValue;

  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  /// Begins a value, or a key.
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
      add_key_apart(key);
  }
  /// From the item before, by a line or because there is none.
  void add_key_apart(const JsonKey& key);
  void add_string(std::string_view text);
  void end_value() {
    if (depth_ == 0) out_.flush();
  }

  Appender out_;
  bool indented_;
  std::size_t depth_ = 0;   ///< open arrays and objects
  bool has_items_ = false;  ///< the innermost one
  bool after_key_ = false;
};

/// For JsonValue::of.
inline void write_counts(JsonWriter& writer, std::span<const std::uint64_t> counts) {
  writer.counts(counts);
}

}  // namespace roofline
