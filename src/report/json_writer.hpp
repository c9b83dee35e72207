#pragma once

// JSON text written as it comes, without a tree: on one line, or indented by two.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "report/cell.hpp"

namespace roofline {

/// A key as it is written after another member, `,"name":`, made once for many rows. Names are
/// those of fields: plain, and short enough for a block of one size, which is copied without a
/// call.
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

struct JsonWriter::WriteValue {
  JsonWriter& writer;

  void operator()(std::monostate) const { writer.out_.add("null"); }
  void operator()(std::string_view text) const { writer.add_string(text); }
  void operator()(std::uint64_t count) const { writer.out_.add_count(count); }
  void operator()(double value) const {
    if (std::isfinite(value))
      writer.out_.add_number(value);
    else
      writer.out_.add("null");
  }
  void operator()(bool value) const { writer.out_.add(value ? "true" : "false"); }
  void operator()(const JsonValue& json) const {
    // It need not set itself apart again.
    writer.after_key_ = true;
    const bool indented = std::exchange(writer.indented_, false);
    json.write(writer);
    writer.indented_ = indented;
  }
};

inline JsonWriter& JsonWriter::member(const JsonKey& key, const Cell& cell) {
  add_key(key);
  std::visit(WriteValue{*this}, cell);
  return *this;
}

/// For JsonValue::of.
inline void write_counts(JsonWriter& writer, std::span<const std::uint64_t> counts) {
  writer.counts(counts);
}

}  // namespace roofline
