#include "load/json_tree.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

namespace roofline {
namespace {

/// The same as the library has it.
struct LibraryValue {
  using Tree = nlohmann::json;

  Tree operator()(std::monostate) const { return nullptr; }
  Tree operator()(std::string_view text) const { return std::string(text); }
  Tree operator()(const JsonNode::Parts<JsonNode>& parts) const {
    Tree array = Tree::array();
    for (std::size_t i = 0; i < parts.count; ++i)
      array.push_back(std::visit(*this, parts.first[i].content()));
    return array;
  }
  Tree operator()(const JsonNode::Parts<JsonNode::Member>& parts) const {
    Tree object = Tree::object();
    for (std::size_t i = 0; i < parts.count; ++i)
      object[std::string(parts.first[i].key)] = std::visit(*this, parts.first[i].value.content());
    return object;
  }
  template <class T>
  Tree operator()(T scalar) const {
    return scalar;
  }
};

}  // namespace

double JsonNode::number() const {
  if (const auto* whole = std::get_if<std::uint64_t>(&content_)) return static_cast<double>(*whole);
  if (const auto* whole = std::get_if<std::int64_t>(&content_)) return static_cast<double>(*whole);
  return std::get<double>(content_);
}

std::span<const JsonNode> JsonNode::elements() const {
  const auto* parts = std::get_if<Parts<JsonNode>>(&content_);
  return parts == nullptr ? std::span<const JsonNode>() : std::span(parts->first, parts->count);
}

std::span<const JsonNode::Member> JsonNode::members() const {
  const auto* parts = std::get_if<Parts<Member>>(&content_);
  return parts == nullptr ? std::span<const Member>() : std::span(parts->first, parts->count);
}

std::size_t JsonNode::size() const { return is_array() ? elements().size() : members().size(); }

const JsonNode* JsonNode::find(std::string_view key) const {
  constexpr std::size_t few = 16;
  const std::span<const Member> all = members();
  if (all.size() <= few) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Member& member) { return member.key == key; });
    return found != all.end() ? &found->value : nullptr;
  }
  const auto found = std::lower_bound(
      all.begin(), all.end(), key,
      [](const Member& member, std::string_view wanted) { return member.key < wanted; });
  return found != all.end() && found->key == key ? &found->value : nullptr;
}

std::string text_of(const JsonNode& value) {
  return std::visit(LibraryValue(), value.content())
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string_view JsonStore::keep(std::string_view text) {
  if (text.empty()) return {};
  auto* kept = static_cast<char*>(memory_->allocate(text.size(), 1));
  std::memcpy(kept, text.data(), text.size());
  return {kept, text.size()};
}

template <class T>
JsonNode::Parts<T> JsonStore::copy(std::span<const T> parts) {
  if (parts.empty()) return {};
  auto* kept = static_cast<T*>(memory_->allocate(parts.size_bytes(), alignof(T)));
  std::uninitialized_copy(parts.begin(), parts.end(), kept);
  return {kept, parts.size()};
}

JsonNode JsonStore::array(std::span<const JsonNode> elements) { return JsonNode(copy(elements)); }

const JsonNode::Member* repeated(std::span<const JsonNode::Member> members) {
  const auto same = [](const JsonNode::Member& a, const JsonNode::Member& b) {
    return a.key == b.key;
  };
  const auto found = std::adjacent_find(members.begin(), members.end(), same);
  return found == members.end() ? nullptr : &*found;
}

std::optional<JsonNode> JsonStore::object(std::span<JsonNode::Member> members) {
  const auto by_key = [](const JsonNode::Member& a, const JsonNode::Member& b) {
    return a.key < b.key;
  };
  std::sort(members.begin(), members.end(), by_key);
  if (repeated(members) != nullptr) return std::nullopt;
  return JsonNode(copy(std::span<const JsonNode::Member>(members)));
}

}  // namespace roofline
