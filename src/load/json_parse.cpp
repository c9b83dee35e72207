// JSON text to a tree, or what is wrong with it and where.

#include <nlohmann/json.hpp>
#include <set>

#include "load/json_pointer.hpp"
#include "load/json_value.hpp"

namespace roofline {
namespace {

using nlohmann::json;

/// Follows the library's parser through a text, knows the place of what it reads, and refuses
/// repeated keys and deep nesting.
class FaultFinder final : public nlohmann::json_sax<json> {
 public:
  explicit FaultFinder(const Origin& origin) : origin_(&origin) {}

  /// Where the text is no JSON: after as many bytes, for that reason.
  struct Fault {
    std::size_t byte = 0;
    std::string reason;
    bool is_number = false;  ///< one that a double cannot hold
  };
  const std::optional<Fault>& fault() const { return fault_; }

  bool null() override { return add(); }
  bool boolean(bool) override { return add(); }
  bool number_integer(std::int64_t) override { return add(); }
  bool number_unsigned(std::uint64_t) override { return add(); }
  bool number_float(double, const std::string&) override { return add(); }
  bool string(std::string&) override { return add(); }
  bool binary(json::binary_t&) override { return add(); }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    Level& level = levels_.back();
    level.key = name;
    if (!level.keys.insert(std::move(name)).second)
      throw origin_->error(pointer(), "expected each key once, got this one twice");
    return true;
  }

  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception& error) override {
    fault_ = {byte, error.what(), dynamic_cast<const json::out_of_range*>(&error) != nullptr};
    return false;
  }

  /// Of what is being read.
  std::string pointer() const {
    std::string text;
    for (const Level& level : levels_) {
      const bool is_innermost = &level == &levels_.back();
      if (level.is_array)
        append_part(text, level.elements - (is_innermost ? 0 : 1));
      else
        append_part(text, level.key);
    }
    return text;
  }

 private:
  struct Level {
    bool is_array;
    std::size_t elements = 0;
    std::string key;  ///< of an object's member that is being read
    std::set<std::string> keys;
  };

  bool add() {
    if (!levels_.empty()) ++levels_.back().elements;
    return true;
  }

  bool open(bool is_array) {
    if (levels_.size() == deepest_json)
      throw origin_->error(
          "", "expected at most " + std::to_string(deepest_json) + " levels of nesting, got more");
    add();
    levels_.push_back({is_array, 0, {}, {}});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  const Origin* origin_;
  std::vector<Level> levels_;  ///< open ones
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
  if (detail.find("UTF-8") != std::string_view::npos)
    return "expected UTF-8 text, got a byte that is not";
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

[[noreturn]] void fail_parsing(std::string_view text, const Origin& origin) {
  FaultFinder finder(origin);
  json::sax_parse(text.begin(), text.end(), &finder);
  const FaultFinder::Fault fault = finder.fault().value_or(FaultFinder::Fault{});
  if (fault.is_number)
    throw origin.error(finder.pointer(), "expected a number that a double can hold");
  const std::size_t offset = fault.byte == 0 ? 0 : fault.byte - 1;
  TextPosition position = position_of(text, offset);
  position.line += origin.line.value_or(1) - 1;
  throw InputError(origin.source,
                   std::to_string(position.line) + ":" + std::to_string(position.column),
                   syntax_message(text, offset, fault.reason));
}

}  // namespace

JsonDocument parse_json(std::string_view text, const Origin& origin) {
  JsonStore store;
  const std::optional<JsonNode> root = store.read(text);
  if (!root) fail_parsing(text, origin);
  return {std::move(store), *root};
}

JsonNode cell_node(std::string_view cell, const Origin& origin, JsonStore& store) {
  if (const std::optional<JsonNode> node = store.read(cell)) return *node;
  if (json::accept(cell)) fail_parsing(cell, origin);
  return store.string(cell);
}

JsonNode object_node(std::span<JsonNode::Member> members, const Origin& origin, JsonStore& store) {
  const std::optional<JsonNode> object = store.object(members);
  if (!object) throw origin.error("", "expected each column once, got one twice");
  return *object;
}

}  // namespace roofline
