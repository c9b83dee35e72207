#pragma once

// JSON: a text's values, read and checked. Every failure is an InputError that says where, what was
// expected and what was found.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "load/byte_stream.hpp"
#include "roofline/error.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// Where a JSON text comes from: a file, or one line of a file.
struct Origin {
  std::string source;
  std::optional<std::size_t> line = {};  ///< in NDJSON and CSV
  InputLimits limits = {};               ///< of what it may hold

  /// "14: /stride": the line, where there is one, and a JSON Pointer.
  std::string where(const std::string& pointer) const;
  InputError error(const std::string& pointer, const std::string& message) const {
    return {source, where(pointer), message};
  }
};

/// What a document stores of a value.
struct JsonNode {
  struct Parts {
    const JsonNode* first = nullptr;
    std::size_t count = 0;
  };
  struct Elements : Parts {};
  struct Members : Parts {};  ///< in the order of their keys

  std::variant<std::monostate, bool, std::uint64_t, std::int64_t, double, std::string_view,
               Elements, Members>
      content;
  std::string_view key = {};  ///< of an object's member

  template <class T>
  bool holds() const {
    return std::holds_alternative<T>(content);
  }
  /// The elements of an array, or the members of an object; nothing else has any.
  std::span<const JsonNode> parts() const {
    if (const auto* elements = std::get_if<Elements>(&content))
      return {elements->first, elements->count};
    if (const auto* members = std::get_if<Members>(&content))
      return {members->first, members->count};
    return {};
  }
};

class JsonDocument;

/// A value of a document, which has to outlive it.
class Value {
 public:
  Value(const JsonNode& node, const JsonDocument& document) : node_(&node), document_(&document) {}

  bool is_null() const { return node_->holds<std::monostate>(); }
  bool is_boolean() const { return node_->holds<bool>(); }
  bool is_number() const;
  bool is_string() const { return node_->holds<std::string_view>(); }
  bool is_array() const { return node_->holds<JsonNode::Elements>(); }
  bool is_object() const { return node_->holds<JsonNode::Members>(); }

  /// How many elements or members it has.
  std::size_t size() const { return node_->parts().size(); }
  Value at(std::size_t index) const { return {node_->parts()[index], *document_}; }
  bool contains(std::string_view key) const { return member(key) != nullptr; }
  /// The member of that key, which must be there.
  Value at(std::string_view key) const { return {*member(key), *document_}; }
  /// The member of that key; null where there is none.
  Value find(std::string_view key) const;
  std::optional<Value> get(std::string_view key) const {
    return contains(key) ? std::optional(at(key)) : std::nullopt;
  }
  /// The member of that key. Fails with "expected `expected`, got nothing" where there is none.
  Value require(std::string_view key, std::string_view expected) const;
  /// Fails where this is no object, and where it has a key beside those that `what` may have.
  void check_keys(const std::string& what, const std::vector<std::string_view>& known) const;
  /// Its own key in the object that holds it; empty where none does.
  std::string_view key() const { return node_->key; }

  /// Over the elements or members.
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
  /// The JSON Pointer of this value.
  std::string pointer() const;
  Place place() const;
  [[noreturn]] void fail(const std::string& message) const;
  /// The same error, with a layer of that kind that works as its remedy.
  [[noreturn]] void fail_layer(LayerKind kind, const std::string& message) const;
  /// Fails at a member, whether it is there or not.
  [[noreturn]] void fail_at(std::string_view key, const std::string& message) const;
  /// Fails with "expected `expected`, got <this value>".
  [[noreturn]] void fail_expected(const std::string& expected) const;

  // Each of these throws InputError for a value of another type.
  std::uint64_t integer(std::uint64_t least) const;
  double number() const;
  double positive_number() const;
  bool boolean() const;
  std::string text() const;
  std::vector<std::string> texts() const;
  /// The place of a text among the names that it may be.
  std::size_t choice(std::span<const std::string_view> names) const;

  /// A whole number from 0 to 2^64 - 1 that is written as one; none for anything else.
  std::optional<std::uint64_t> try_integer() const;
  /// A string; empty for anything else.
  std::string_view try_text() const;
  /// The JSON text on one line; bytes that are not UTF-8 are replaced.
  std::string json() const;

 private:
  const JsonNode* member(std::string_view key) const;

  const JsonNode* node_;
  const JsonDocument* document_;
};

/// A JSON text taken apart. It owns the values and all that they refer to.
class JsonDocument {
 public:
  /// Its root is null until set_root().
  explicit JsonDocument(Origin origin) : origin_(std::move(origin)) {}
  /// Parses a text that may hold no key twice and nests at most 64 levels. Throws InputError.
  JsonDocument(std::string_view text, Origin origin);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  const Origin& origin() const { return origin_; }
  Value root() const { return {root_, *this}; }
  void set_root(const JsonNode& root) { root_ = root; }

  // Copies that live as long as the document.
  std::string_view keep(std::string_view text);
  JsonNode::Parts keep(std::span<const JsonNode> parts);
  /// A member out of a table's cell: the value that the cell spells (64, 0.5, true, [3, 3]), or
  /// else its text. The key has to outlive the document.
  JsonNode cell(std::string_view key, std::string_view text, bool is_text);
  /// The object of a table's row. Throws InputError where a column comes twice.
  JsonNode row(std::span<JsonNode> members);
  /// Forgets every value.
  void clear();

 private:
  std::array<std::byte, 2048> first_bytes_;  // enough for a layer
  std::pmr::monotonic_buffer_resource memory_{first_bytes_.data(), first_bytes_.size()};
  Origin origin_;
  JsonNode root_;
};

using TakeListed =
    std::function<void(std::string_view list, const Value& element, std::uint64_t end_byte)>;
/// Takes a document apart that may be far larger than memory: gives each element of the lists that
/// are members of its outermost object, with the list's key, or those of its outermost list, with
/// none, and where in the text an array or object ends, and forgets it after that. Members are in
/// the text's order, and a key may come twice. Throws InputError at "byte N".
void for_each_listed(ByteStream& stream, const TakeListed& take);

}  // namespace roofline
