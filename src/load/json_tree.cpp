#include "load/json_tree.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

namespace roofline {
namespace {

bool is_json_digit(char c) { return c >= '0' && c <= '9'; }

/// What stands for itself inside a string.
bool is_plain_in_json(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

/// Reads a text that is kept. Every function takes what it is called for, or says that it is not
/// there.
class TextReader {
 public:
  TextReader(std::string_view text, JsonStore& store)
      : store_(store), at_(text.data()), end_(at_ + text.size()) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) at_ += byte_order_mark.size();
  }

  /// The whole text, which a NUL ends as it does for the library.
  bool read(JsonNode& value) {
    if (!take_value(value, 0)) return false;
    skip_blanks();
    return at_ == end_ || *at_ == '\0';
  }

 private:
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }

  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  bool take_after_blanks(char c) {
    skip_blanks();
    return take(c);
  }

  bool take_value(JsonNode& value, std::size_t depth) {
    skip_blanks();
    if (at_ == end_) return false;
    switch (*at_) {
      case '{': return depth < deepest_json && take_object(value, depth + 1);
      case '[': return depth < deepest_json && take_array(value, depth + 1);
      case '"': {
        std::string_view text;
        if (!take_string(text)) return false;
        value = JsonNode(text);
        return true;
      }
      case 't': return take_word("true", JsonNode(true), value);
      case 'f': return take_word("false", JsonNode(false), value);
      case 'n': return take_word("null", JsonNode(), value);
      default: return take_number(value);
    }
  }

  bool take_word(std::string_view spelling, const JsonNode& meaning, JsonNode& value) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(spelling))
      return false;
    at_ += spelling.size();
    value = meaning;
    return true;
  }

  /// What is read of open objects and arrays lies on top of what is read of those around them.
  bool take_object(JsonNode& value, std::size_t depth) {
    const std::size_t first = members_.size();
    members_.reserve(usual_parts);
    ++at_;
    if (!take_after_blanks('}')) {
      do {
        JsonNode::Member member;
        skip_blanks();
        if (!take_string(member.key) || !take_after_blanks(':') || !take_value(member.value, depth))
          return false;
        members_.push_back(member);
      } while (take_after_blanks(','));
      if (!take('}')) return false;
    }
    const std::optional<JsonNode> object = store_.object(std::span(members_).subspan(first));
    if (!object) return false;
    value = *object;
    members_.resize(first);
    return true;
  }

  bool take_array(JsonNode& value, std::size_t depth) {
    const std::size_t first = elements_.size();
    elements_.reserve(usual_parts);
    ++at_;
    if (!take_after_blanks(']')) {
      do {
        JsonNode element;
        if (!take_value(element, depth)) return false;
        elements_.push_back(element);
      } while (take_after_blanks(','));
      if (!take(']')) return false;
    }
    value = store_.array(std::span(elements_).subspan(first));
    elements_.resize(first);
    return true;
  }

  bool take_string(std::string_view& text) {
    if (!take('"')) return false;
    const char* const begin = at_;
    while (at_ != end_ && is_plain_in_json(*at_)) ++at_;
    if (at_ == end_) return false;
    if (*at_ != '"') return take_unusual_string(begin - 1, text);
    text = {begin, static_cast<std::size_t>(at_++ - begin)};
    return true;
  }

  /// With escapes or other letters than ASCII's: as the library reads it.
  bool take_unusual_string(const char* begin, std::string_view& text) {
    for (; at_ != end_ && *at_ != '"'; ++at_)
      if (*at_ == '\\' && ++at_ == end_) return false;
    if (at_ == end_) return false;
    const auto read = nlohmann::json::parse(begin, ++at_, nullptr, false);
    if (!read.is_string()) return false;
    text = store_.keep(read.get_ref<const std::string&>());
    return true;
  }

  bool take_digits() {
    if (at_ == end_ || !is_json_digit(*at_)) return false;
    while (at_ != end_ && is_json_digit(*at_)) ++at_;
    return true;
  }

  bool take_number(JsonNode& value) {
    const char* const begin = at_;
    const bool is_negative = take('-');
    if (!take('0') && !take_digits()) return false;
    const bool has_fraction = take('.');
    if (has_fraction && !take_digits()) return false;
    const bool has_exponent = take('e') || take('E');
    if (has_exponent) {
      static_cast<void>(take('+') || take('-'));
      if (!take_digits()) return false;
    }
    if (!has_fraction && !has_exponent &&
        (is_negative ? is_number<std::int64_t>(begin, value)
                     : is_number<std::uint64_t>(begin, value)))
      return true;
    return is_number<double>(begin, value) || is_tiny_number(begin, value);
  }

  /// From there on to where the reader is.
  template <class T>
  bool is_number(const char* begin, JsonNode& value) const {
    T number{};
    if (std::from_chars(begin, at_, number).ec != std::errc()) return false;
    value = JsonNode(number);
    return true;
  }

  /// Too small for a double in its usual form.
  bool is_tiny_number(const char* begin, JsonNode& value) const {
    const auto read = nlohmann::json::parse(begin, at_, nullptr, false);
    if (!read.is_number()) return false;
    value = JsonNode(read.get<double>());
    return true;
  }

  static constexpr std::size_t usual_parts = 32;

  JsonStore& store_;
  const char* at_;
  const char* end_;
  std::vector<JsonNode> elements_;
  std::vector<JsonNode::Member> members_;
};

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
  const std::span<const Member> all = members();
  const auto found = std::lower_bound(
      all.begin(), all.end(), key,
      [](const Member& member, std::string_view wanted) { return member.key < wanted; });
  return found != all.end() && found->key == key ? &found->value : nullptr;
}

std::string text_of(const JsonNode& value) {
  return std::visit(LibraryValue(), value.content())
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<JsonNode> JsonStore::read(std::string_view text) {
  JsonNode value;
  if (!TextReader(keep(text), *this).read(value)) return std::nullopt;
  return value;
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

std::optional<JsonNode> JsonStore::object(std::span<JsonNode::Member> members) {
  const auto by_key = [](const JsonNode::Member& a, const JsonNode::Member& b) {
    return a.key < b.key;
  };
  std::sort(members.begin(), members.end(), by_key);
  const auto same = std::adjacent_find(
      members.begin(), members.end(),
      [](const JsonNode::Member& a, const JsonNode::Member& b) { return a.key == b.key; });
  if (same != members.end()) return std::nullopt;
  return JsonNode(copy(std::span<const JsonNode::Member>(members)));
}

}  // namespace roofline
