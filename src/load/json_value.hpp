#pragma once

// JSON text to a tree, and a tree to checked C++ values. Every failure is an InputError that says
// where, what was expected and what was found.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "load/json_tree.hpp"
#include "roofline/error.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// Where a JSON text comes from: a file, or one line of a file.
struct Origin {
  std::string source;
  std::optional<std::size_t> line;  ///< for NDJSON and CSV
  std::size_t column = 1;           ///< at which it begins on that line

  InputError error(const std::string& pointer, const std::string& message) const;
  /// The place of the object at that pointer.
  Place place(const std::string& pointer) const;
};

/// Parses text that may hold no key twice and nests at most 64 levels.
JsonDocument parse_json(std::string_view text, const Origin& origin);

/// A cell of a table: the value that it spells (64, 0.5, true, [3, 3]), or else a text.
JsonNode cell_node(std::string_view cell, const Origin& origin, JsonStore& store);
/// Of keys that outlive it, none of which may be there twice.
JsonNode object_node(std::span<JsonNode::Member> members, const Origin& origin, JsonStore& store);

/// A node of a tree, which it is found in again where its place is asked for.
class Value {
 public:
  Value(const JsonNode& root, const Origin& origin) : Value(root, root, origin) {}

  const JsonNode& node() const { return *node_; }
  const Origin& origin() const { return *origin_; }
  /// The JSON Pointer of this node.
  std::string pointer() const;

  [[noreturn]] void fail(const std::string& message) const;
  /// Fails with "expected `expected`, got <this node>".
  [[noreturn]] void fail_expected(const std::string& expected) const;

  bool is_array() const { return node_->is_array(); }
  bool is_string() const { return node_->is_string(); }
  std::size_t size() const { return node_->size(); }
  Value at(std::size_t index) const;
  /// The member of that key, which must be there.
  Value at(std::string_view key) const;
  /// A node beneath this one.
  Value beneath(const JsonNode& node) const { return {node, *root_, *origin_}; }

  std::uint64_t integer(std::uint64_t least) const;
  double positive_number() const;
  bool boolean() const;
  std::string text() const;
  std::vector<std::string> texts() const;

 private:
  Value(const JsonNode& node, const JsonNode& root, const Origin& origin)
      : node_(&node), root_(&root), origin_(&origin) {}

  const JsonNode* node_;
  const JsonNode* root_;
  const Origin* origin_;
};

/// An object whose keys are taken one by one; what is left at the end is unknown.
class ObjectReader {
 public:
  /// `what` it describes, and every key that any such thing may have.
  ObjectReader(const Value& object, std::string what, std::vector<std::string_view> known);

  const Value& value() const { return value_; }
  bool has(std::string_view key) const;
  std::optional<Value> take(std::string_view key);
  /// Fails with "expected `expected`, got nothing" at the key; where there is an unknown key, which
  /// may be a misspelling of this one, with that one instead.
  [[noreturn]] void fail_missing(std::string_view key, std::string_view expected) const;
  Value require(std::string_view key, std::string_view expected);
  /// Pointer of a key, whether it is there or not.
  std::string pointer_to(std::string_view key) const;
  [[noreturn]] void fail_at(std::string_view key, const std::string& message) const;

  /// Fails where there is a key that no such thing has.
  void refuse_unknown() const;
  /// Fails for keys never taken: unknown ones, and those that this kind of thing does not take.
  void finish() const;

 private:
  Value value_;
  std::string what_;
  std::vector<std::string_view> known_;
  std::vector<const JsonNode*> taken_;  ///< members, each once
};

}  // namespace roofline
