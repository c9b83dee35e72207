#pragma once

// Values of a JSON text. Every failure is an InputError with place, expectation and finding.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "load/byte_stream.hpp"
#include "roofline/error.hpp"
#include "roofline/spec.hpp"

namespace roofline {

struct Origin {
  std::string source;
  std::optional<std::size_t> line = {};  ///< in NDJSON and CSV
  InputLimits limits = {};

  /// "14: /stride": the line, if there is one, and a JSON Pointer.
  std::string where(const std::string& pointer) const;
  InputError error(const std::string& pointer, const std::string& message) const {
    return {source, where(pointer), message};
  }
};

struct JsonNode {
  struct Parts {
    const JsonNode* first = nullptr;
    std::size_t count = 0;
  };
  /// A number as its text writes it: of an `id`, which is passed through.
  struct NumberText {
    std::string_view text;
  };
  struct Elements : Parts {};
  /// In the order of their keys, unless few of a document that keeps its own order.
  struct Members : Parts {};
  static constexpr std::size_t few_members = 16;

  std::variant<std::monostate, bool, std::uint64_t, std::int64_t, double, std::string_view,
               NumberText, Elements, Members>
      content;
  std::string_view key = {};  ///< of an object's member

  template <class T>
  bool holds() const {
    return std::holds_alternative<T>(content);
  }
  /// Elements of an array or members of an object; else empty.
  std::span<const JsonNode> parts() const {
    if (const auto* elements = std::get_if<Elements>(&content))
      return {elements->first, elements->count};
    if (const auto* members = std::get_if<Members>(&content))
      return {members->first, members->count};
    return {};
  }
};

class JsonDocument;

/// A view of a value; the document must outlive it.
class Value {
 public:
  Value(const JsonNode& node, const JsonDocument& document) : node_(&node), document_(&document) {}

  bool is_null() const { return node_->holds<std::monostate>(); }
  bool is_boolean() const { return node_->holds<bool>(); }
  bool is_number() const;
  bool is_string() const { return node_->holds<std::string_view>(); }
  bool is_array() const { return node_->holds<JsonNode::Elements>(); }
  bool is_object() const { return node_->holds<JsonNode::Members>(); }

  std::size_t size() const { return node_->parts().size(); }
  Value at(std::size_t index) const { return {node_->parts()[index], *document_}; }
  bool contains(std::string_view key) const { return member(key) != nullptr; }
  /// The member must exist.
  Value at(std::string_view key) const { return {*member(key), *document_}; }
  /// Null if missing.
  Value find(std::string_view key) const;
  std::optional<Value> get(std::string_view key) const {
    const JsonNode* found = member(key);
    return found != nullptr ? std::optional(Value(*found, *document_)) : std::nullopt;
  }
  /// Fails with "expected `expected`, got nothing" if missing.
  Value require(std::string_view key, std::string_view expected) const;
  /// Fails if this is no object or has an unknown key; errors call it `what`.
  void check_keys(const std::string& what, const std::vector<std::string_view>& known) const;
  /// The key in the enclosing object; else empty.
  std::string_view key() const { return node_->key; }

  struct Iterator {
    const Value* value;
    std::size_t index;

    Value operator*() const { return value->at(index); }
    Iterator& operator++() { return ++index, *this; }
    bool operator==(const Iterator& other) const { return index == other.index; }
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

  const JsonDocument& document() const { return *document_; }
  const Origin& origin() const;
  std::string pointer() const;
  Place place() const;
  [[noreturn]] void fail(const std::string& message) const;
  /// fail(), with a working layer of this kind as the remedy.
  [[noreturn]] void fail_layer(LayerKind kind, const std::string& message) const;
  /// Fails at a member that may be missing.
  [[noreturn]] void fail_at(std::string_view key, const std::string& message) const;
  /// Fails with "expected `expected`, got <this value>".
  [[noreturn]] void fail_expected(const std::string& expected) const;

  // Each throws InputError for a value of another type.
  std::uint64_t integer(std::uint64_t least) const;
  double number() const;
  double positive_number() const;
  bool boolean() const;
  std::string text() const;
  std::vector<std::string> texts() const;
  /// Index of the text in `names`.
  std::size_t choice(std::span<const std::string_view> names) const;

  /// nullopt unless an integer from 0 to 2^64 - 1.
  std::optional<std::uint64_t> try_integer() const;
  /// Empty unless a string.
  std::string_view try_text() const;
  /// On one line; replaces bytes that are not UTF-8.
  std::string json() const;

 private:
  const JsonNode* member(std::string_view key) const;

  const JsonNode* node_;
  const JsonDocument* document_;
};

/// A parsed JSON text, with all that its values refer to.
class JsonDocument {
 public:
  /// The root is null until set_root().
  explicit JsonDocument(Origin origin) : origin_(std::move(origin)) {}
  /// Rejects repeated keys and more than 64 levels of nesting. Throws InputError.
  JsonDocument(std::string_view text, Origin origin);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  const Origin& origin() const { return origin_; }
  Value root() const { return {root_, *this}; }
  void set_root(const JsonNode& root) { root_ = root; }

  // Copies with the document's lifetime.
  std::string_view keep(std::string_view text);
  JsonNode::Parts keep(std::span<const JsonNode> parts);
  /// The value that a cell spells (64, 0.5, true, [3, 3]), or else its text. The key must outlive
  /// the document.
  JsonNode cell(std::string_view key, std::string_view text, bool is_text);
  /// The id that a cell spells: a number, true or false as written, or else its text. `may_quote`:
  /// a text in quotes is one of JSON.
  JsonNode id_cell(std::string_view key, std::string_view text, bool may_quote);
  /// Throws InputError for a repeated column.
  JsonNode row(std::span<JsonNode> members);
  void clear();

 private:
  std::array<std::byte, 2048> first_bytes_;  // enough for a layer
  std::pmr::monotonic_buffer_resource memory_{first_bytes_.data(), first_bytes_.size()};
  Origin origin_;
  JsonNode root_;
};

using TakeListed = std::function<void(std::string_view list, const Value& element)>;
/// Parses a document that may be far larger than memory: passes each element of the lists in the
/// outermost object with the list's key, or of the outermost list with an empty key. Keys may
/// repeat. Throws InputError at "byte N".
void for_each_listed(ByteStream& stream, const TakeListed& take);

// Parses a JSON text into a document's values.

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
