#pragma once

// The values of a JSON text.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace roofline {

/// A value, whose texts and parts the `JsonStore` owns that it comes from.
class JsonNode {
 public:
  struct Member;
  /// What lies side by side.
  template <class T>
  struct Parts {
    const T* first = nullptr;
    std::size_t count = 0;
  };
  using Content = std::variant<std::monostate, bool, std::uint64_t, std::int64_t, double,
                               std::string_view, Parts<JsonNode>, Parts<Member>>;

  JsonNode() = default;  ///< null
  explicit JsonNode(Content content) : content_(content) {}

  bool is_null() const { return holds<std::monostate>(); }
  bool is_boolean() const { return holds<bool>(); }
  bool is_number() const {
    return holds<std::uint64_t>() || holds<std::int64_t>() || holds<double>();
  }
  bool is_string() const { return holds<std::string_view>(); }
  bool is_array() const { return holds<Parts<JsonNode>>(); }
  bool is_object() const { return holds<Parts<Member>>(); }

  const Content& content() const { return content_; }
  bool boolean() const { return std::get<bool>(content_); }
  double number() const;
  std::string_view text() const { return std::get<std::string_view>(content_); }
  /// Of an array; none of anything else.
  std::span<const JsonNode> elements() const;
  /// Of an object, in the order of their keys; none of anything else.
  std::span<const Member> members() const;
  std::size_t size() const;
  /// The object's member; null where there is none.
  const JsonNode* find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }

 private:
  template <class T>
  bool holds() const {
    return std::holds_alternative<T>(content_);
  }

  Content content_;
};

struct JsonNode::Member {
  std::string_view key;
  JsonNode value;
};

/// Of members in the order of their keys the first whose key is also the next one's; null where all
/// differ.
const JsonNode::Member* repeated(std::span<const JsonNode::Member> members);

/// On one line; bytes that are not UTF-8 replaced.
std::string text_of(const JsonNode& value);

/// Owns the values of texts.
class JsonStore {
 public:
  /// A copy.
  std::string_view keep(std::string_view text);
  JsonNode string(std::string_view text) { return JsonNode(keep(text)); }
  JsonNode array(std::span<const JsonNode> elements);
  /// Of keys that are kept, and puts them into their order. None where two are the same.
  std::optional<JsonNode> object(std::span<JsonNode::Member> members);

 private:
  template <class T>
  JsonNode::Parts<T> copy(std::span<const T> parts);

  static constexpr std::size_t first_byte = 960;  ///< enough for a layer

  /// Frees nothing before it frees all.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_ =
      std::make_unique<std::pmr::monotonic_buffer_resource>(first_byte);
};

/// A text's value with what owns it.
class JsonDocument {
 public:
  JsonDocument(JsonStore store, JsonNode root) : store_(std::move(store)), root_(root) {}
  const JsonNode& root() const { return root_; }

 private:
  JsonStore store_;
  JsonNode root_;
};

}  // namespace roofline
