// JSON text to a tree, or what is wrong with it and where.

#include <nlohmann/json.hpp>
#include <vector>

#include "load/byte_stream.hpp"
#include "load/json_pointer.hpp"
#include "load/json_value.hpp"

namespace roofline {
namespace {

using nlohmann::json;

/// Takes the values from the library's parser, and knows where it is.
class TreeBuilder final : public nlohmann::json_sax<json> {
 public:
  TreeBuilder(const Origin& origin, JsonStore& store) : origin_(&origin), store_(&store) {}

  /// Where the text is no JSON: after as many bytes, for that reason.
  struct Fault {
    std::size_t byte = 0;
    std::string reason;
    bool is_number = false;  ///< one that a double cannot hold
  };
  const std::optional<Fault>& fault() const { return fault_; }
  void fail_at(std::size_t offset) { fault_ = Fault{offset + 1, ""}; }
  /// Of a text without a fault.
  const JsonNode& root() const { return root_; }

  bool null() override { return add(JsonNode()); }
  bool boolean(bool value) override { return add(JsonNode(value)); }
  bool number_integer(std::int64_t value) override { return add(JsonNode(value)); }
  bool number_unsigned(std::uint64_t value) override { return add(JsonNode(value)); }
  bool number_float(double value, const std::string&) override { return add(JsonNode(value)); }
  bool string(std::string& text) override { return add(store_->string(text)); }
  bool binary(json::binary_t&) override { return false; }  // no JSON text has any
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }

  bool key(std::string& name) override {
    open_.back().key = store_->keep(name);
    return true;
  }

  bool end_object() override {
    const std::span members = std::span(members_).subspan(open_.back().first_member);
    const std::optional<JsonNode> object = store_->object(members);
    if (!object) fail_repeated(members);
    members_.resize(open_.back().first_member);
    open_.pop_back();
    return add(*object);
  }

  bool end_array() override {
    const std::size_t first = open_.back().first_element;
    const JsonNode array = store_->array(std::span(elements_).subspan(first));
    elements_.resize(first);
    open_.pop_back();
    return add(array);
  }

  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception& error) override {
    fault_ = {byte, error.what(), dynamic_cast<const json::out_of_range*>(&error) != nullptr};
    return false;
  }

  /// Of what is being read.
  std::string pointer() const {
    std::string text;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const std::size_t end = i + 1 < open_.size() ? open_[i + 1].first_element : elements_.size();
      if (open_[i].is_array)
        append_part(text, end - open_[i].first_element);
      else
        append_part(text, open_[i].key);
    }
    return text;
  }

 private:
  /// What is read of an open object or array lies on top of what is read of those around it.
  struct Level {
    bool is_array;
    std::size_t first_element;
    std::size_t first_member;
    std::string_view key;  ///< of an object's member that is being read
  };

  bool add(const JsonNode& value) {
    if (open_.empty())
      root_ = value;
    else if (open_.back().is_array)
      elements_.push_back(value);
    else
      members_.push_back({open_.back().key, value});
    return true;
  }

  bool open(bool is_array) {
    constexpr std::size_t deepest = 64;
    if (open_.size() == deepest)
      throw origin_->error(
          "", "expected at most " + std::to_string(deepest) + " levels of nesting, got more");
    if (open_.empty()) reserve();
    open_.push_back({is_array, elements_.size(), members_.size(), {}});
    return true;
  }

  /// What a layer needs.
  void reserve() {
    open_.reserve(4);
    elements_.reserve(16);
    members_.reserve(16);
  }

  [[noreturn]] void fail_repeated(std::span<const JsonNode::Member> members) {
    open_.back().key = repeated(members)->key;
    throw origin_->error(pointer(), "expected each key once, got this one twice");
  }

  const Origin* origin_;
  JsonStore* store_;
  JsonNode root_;
  std::vector<Level> open_;
  std::vector<JsonNode> elements_;
  std::vector<JsonNode::Member> members_;
  std::optional<Fault> fault_;
};

struct TextPosition {
  std::size_t line = 1;
  std::size_t column = 1;
};

TextPosition position_of(std::string_view text, std::size_t offset) {
  TextPosition position;
  for (const char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++position.line;
      position.column = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++position.column;  // a UTF-8 continuation byte is part of the character before it
    }
  }
  return position;
}

std::string syntax_message(std::string_view text, std::size_t offset, std::string_view detail) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return "expected JSON, got an empty text";
  if (const auto wrong = wrong_encoding(text)) return *wrong;
  if (text.starts_with("\x1f\x8b")) return "expected JSON, got gzip data";
  if (detail.find("UTF-8") != std::string_view::npos)
    return "expected UTF-8 text, got a byte that is not";
  if (detail.find("surrogate") != std::string_view::npos)
    return "expected both halves of a character (\\ud83d\\ude00), got one";
  if (offset >= text.size()) return "expected more JSON, got the end of the text";
  const char found = text[offset];
  std::string message = "expected JSON, got ";
  if (found == '\0') return message + "a NUL byte";
  if (static_cast<unsigned char>(found) < 0x20)
    return message + "a control character inside a string, or a string that is not closed";
  message += std::string("'") + found + "'";
  if (found == '/' || found == '#') message += " (JSON has no comments)";
  if (found == '}' || found == ']') message += " (JSON has no trailing commas)";
  if (found == '\'') message += " (JSON strings take double quotes)";
  return message;
}

[[noreturn]] void fail_parsing(std::string_view text, const Origin& origin,
                               const TreeBuilder& builder) {
  const TreeBuilder::Fault& fault = *builder.fault();
  if (fault.is_number)
    throw origin.error(builder.pointer(), "expected a number that a double can hold");
  const std::size_t offset = fault.byte == 0 ? 0 : fault.byte - 1;
  TextPosition position = position_of(text, offset);
  if (position.line == 1) position.column += origin.column - 1;
  position.line += origin.line.value_or(1) - 1;
  throw InputError(origin.source,
                   std::to_string(position.line) + ":" + std::to_string(position.column),
                   syntax_message(text, offset, fault.reason));
}

/// False where the text is no JSON. The library takes a NUL for the text's end.
bool build(TreeBuilder& builder, std::string_view text) {
  if (!json::sax_parse(text.begin(), text.end(), &builder)) return false;
  const std::size_t nul = text.find('\0');
  if (nul != text.npos) builder.fail_at(nul);
  return nul == text.npos;
}

}  // namespace

JsonDocument parse_json(std::string_view text, const Origin& origin) {
  JsonStore store;
  TreeBuilder builder(origin, store);
  if (!build(builder, text)) fail_parsing(text, origin, builder);
  return {std::move(store), builder.root()};
}

JsonNode cell_node(std::string_view cell, const Origin& origin, JsonStore& store) {
  TreeBuilder builder(origin, store);
  return build(builder, cell) ? builder.root() : store.string(cell);
}

JsonNode object_node(std::span<JsonNode::Member> members, const Origin& origin, JsonStore& store) {
  const std::optional<JsonNode> object = store.object(members);
  if (!object) throw origin.error("", "expected each column once, got one twice");
  return *object;
}

}  // namespace roofline
