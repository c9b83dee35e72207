#include "load/json_value.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "model/spelling.hpp"

namespace roofline {
namespace {

using nlohmann::json;

constexpr std::size_t deepest_json = 64;
constexpr double largest_exact_integer = 9007199254740992.0;  // 2^53

/// Appends a key as a part of a JSON Pointer; of a very long one only the beginning.
void append_part(std::string& pointer, std::string_view key) {
  constexpr std::size_t longest = 200;
  pointer += '/';
  for (const char c : key.substr(0, longest)) {
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer += c;
  }
  if (key.size() > longest) pointer += "...";
}

void append_part(std::string& pointer, std::size_t index) {
  pointer += '/';
  pointer += std::to_string(index);
}

template <class Part>
std::string with_part(std::string pointer, Part part) {
  append_part(pointer, part);
  return pointer;
}

/// Appends the way from one node to another beneath it; false where that is not beneath. An
/// array's elements lie side by side, so that long ones are not searched one by one.
bool append_way(std::string& pointer, const json& from, const json& to) {
  if (&from == &to) return true;
  const std::size_t end = pointer.size();
  if (const auto* array = from.get_ptr<const json::array_t*>()) {
    const std::less<const json*> before;
    if (!array->empty() && !before(&to, &array->front()) && !before(&array->back(), &to)) {
      append_part(pointer, static_cast<std::size_t>(&to - &array->front()));
      return true;
    }
    for (std::size_t i = 0; i < array->size(); ++i) {
      append_part(pointer, i);
      if (append_way(pointer, (*array)[i], to)) return true;
      pointer.resize(end);
    }
  } else if (const auto* object = from.get_ptr<const json::object_t*>()) {
    for (const auto& [key, value] : *object) {
      append_part(pointer, key);
      if (append_way(pointer, value, to)) return true;
      pointer.resize(end);
    }
  }
  return false;
}

/// A node as it is shown in a message: short ones whole, long ones by kind.
std::string shown(const json& node) {
  constexpr std::size_t longest = 60;
  std::string text = node.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() <= longest) return text;
  if (node.is_array()) return "an array of " + std::to_string(node.size());
  if (node.is_object()) return "an object";
  return "a long string";
}

/// Frees a tree, no deeper than the deepest nesting. The library's own destructor allocates, and so
/// ends the program where memory has run out.
void dismantle(json& node) {
  if (auto* array = node.get_ptr<json::array_t*>()) {
    for (json& each : *array) dismantle(each);
    array->clear();
  } else if (auto* object = node.get_ptr<json::object_t*>()) {
    for (auto& [key, value] : *object) dismantle(value);
    object->clear();
  }
}

/// Builds the tree as the parser reads it, knows the place of what it reads, and refuses repeated
/// keys and deep nesting, neither of which the finished tree can show. (The library's own callback
/// parser looks through an array again at the end of each of its objects.)
class TreeBuilder final : public nlohmann::json_sax<json> {
 public:
  explicit TreeBuilder(const Origin& origin) : origin_(&origin) {}
  ~TreeBuilder() override { dismantle(tree_); }
  TreeBuilder(const TreeBuilder&) = delete;
  TreeBuilder& operator=(const TreeBuilder&) = delete;

  json& tree() { return tree_; }
  /// Where the text is no JSON: after as many bytes, for that reason.
  struct Failure {
    std::size_t byte = 0;
    std::string reason;
    bool is_number = false;  ///< one that a double cannot hold
  };
  const std::optional<Failure>& failure() const { return failure_; }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(json::binary_t& value) override { return add(std::move(value)); }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    auto& members = levels_.back().node->get_ref<json::object_t&>();
    const auto [member, is_new] = members.try_emplace(std::move(name));
    levels_.back().member = &*member;
    if (!is_new) throw origin_->error(pointer(), "expected each key once, got this one twice");
    return true;
  }

  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception& error) override {
    failure_ = {byte, error.what(), dynamic_cast<const json::out_of_range*>(&error) != nullptr};
    return false;
  }

  /// Of what is being read.
  std::string pointer() const {
    std::string text;
    for (const Level& level : levels_) {
      const bool is_innermost = &level == &levels_.back();
      if (level.node->is_array())
        append_part(text, level.node->size() - (is_innermost ? 0 : 1));
      else
        append_part(text, level.member == nullptr ? std::string_view() : level.member->first);
    }
    return text;
  }

 private:
  struct Level {
    json* node;
    json::object_t::value_type* member = nullptr;  ///< of an object, that is being read
  };

  json& insert(json value) {
    if (levels_.empty()) return tree_ = std::move(value);
    json& parent = *levels_.back().node;
    if (parent.is_array()) return parent.emplace_back(std::move(value));
    return levels_.back().member->second = std::move(value);
  }

  bool add(json value) {
    insert(std::move(value));
    return true;
  }

  bool open(json container) {
    if (levels_.size() == deepest_json)
      throw origin_->error(
          "", "expected at most " + std::to_string(deepest_json) + " levels of nesting, got more");
    json& node = insert(std::move(container));
    levels_.push_back({&node});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  const Origin* origin_;
  json tree_;
  std::vector<Level> levels_;  ///< open ones; a parent is not touched while a child is built
  std::optional<Failure> failure_;
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

}  // namespace

InputError Origin::error(const std::string& pointer, const std::string& message) const {
  if (!line) return InputError(source, pointer, message);
  const std::string place = std::to_string(*line);
  return InputError(source, pointer.empty() ? place : place + ": " + pointer, message);
}

Place Origin::place(const std::string& pointer) const {
  Place place;
  place.source = source;
  place.where = pointer;
  if (line) place.where = std::to_string(*line) + (pointer.empty() ? "" : ": " + pointer);
  return place;
}

json parse_json(std::string_view text, const Origin& origin) {
  TreeBuilder builder(origin);
  if (json::sax_parse(text.begin(), text.end(), &builder)) return std::move(builder.tree());
  const TreeBuilder::Failure& failure = *builder.failure();
  if (failure.is_number)
    throw origin.error(builder.pointer(), "expected a number that a double can hold");
  const std::size_t offset = failure.byte == 0 ? 0 : failure.byte - 1;
  TextPosition position = position_of(text, offset);
  position.line += origin.line.value_or(1) - 1;
  throw InputError(origin.source,
                   std::to_string(position.line) + ":" + std::to_string(position.column),
                   syntax_message(text, offset, failure.reason));
}

std::string Value::pointer() const {
  std::string pointer;
  append_way(pointer, *root_, *node_);
  return pointer;
}

void Value::fail(const std::string& message) const { throw origin_->error(pointer(), message); }

void Value::fail_expected(const std::string& expected) const {
  fail("expected " + expected + ", got " + shown(*node_));
}

Value Value::at(std::size_t index) const { return beneath((*node_)[index]); }

Value Value::at(std::string_view key) const { return beneath(*node_->find(key)); }

std::uint64_t Value::integer(std::uint64_t least) const {
  if (node_->is_number_unsigned()) {
    const auto number = node_->get<std::uint64_t>();
    if (number >= least) return number;
  } else if (node_->is_number_integer()) {
    if (least == 0 && node_->get<std::int64_t>() == 0) return 0;  // -0
  } else if (node_->is_number_float()) {
    const auto number = node_->get<double>();  // "64.0", as some programs write integers
    if (number >= static_cast<double>(least) && number <= largest_exact_integer &&
        std::floor(number) == number)
      return static_cast<std::uint64_t>(number);
  }
  fail_expected("an integer >= " + std::to_string(least));
}

double Value::positive_number() const {
  // What lies outside is no quantity of a GPU or a layer, and products of it may leave a double.
  constexpr double least = 1e-30;
  constexpr double most = 1e30;
  if (!node_->is_number() || !(node_->get<double>() > 0)) fail_expected("a number > 0");
  const double number = node_->get<double>();
  if (number < least || number > most) fail_expected("a number from 1e-30 to 1e30");
  return number;
}

bool Value::boolean() const {
  if (node_->is_boolean()) return node_->get<bool>();
  fail_expected("true or false");
}

std::string Value::text() const {
  if (!node_->is_string()) fail_expected("a string");
  return node_->get<std::string>();
}

std::vector<std::string> Value::texts() const {
  if (!node_->is_array()) fail_expected("an array of strings");
  std::vector<std::string> all;
  for (std::size_t i = 0; i < node_->size(); ++i) all.push_back(at(i).text());
  return all;
}

ObjectReader::ObjectReader(const Value& object, std::string what,
                           std::vector<std::string_view> known)
    : value_(object), what_(std::move(what)), known_(std::move(known)) {
  if (!object.node().is_object()) object.fail_expected("an object");
}

bool ObjectReader::has(std::string_view key) const { return value_.node().contains(key); }

std::optional<Value> ObjectReader::take(std::string_view key) {
  const auto found = value_.node().find(key);
  if (found == value_.node().end()) return std::nullopt;
  if (std::find(taken_.begin(), taken_.end(), &*found) == taken_.end()) taken_.push_back(&*found);
  return value_.beneath(*found);
}

Value ObjectReader::require(std::string_view key, std::string_view expected) {
  std::optional<Value> value = take(key);
  if (!value) fail_missing(key, expected);
  return *value;
}

void ObjectReader::fail_missing(std::string_view key, std::string_view expected) const {
  refuse_unknown();
  fail_at(key, "expected " + std::string(expected) + ", got nothing");
}

std::string ObjectReader::pointer_to(std::string_view key) const {
  return with_part(value_.pointer(), key);
}

void ObjectReader::fail_at(std::string_view key, const std::string& message) const {
  throw value_.origin().error(pointer_to(key), message);
}

void ObjectReader::refuse_unknown() const {
  for (const auto& [key, node] : value_.node().items())
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
      fail_at(key,
              "expected a key of " + what_ + ", got \"" + key + "\"" + did_you_mean(key, known_));
}

void ObjectReader::finish() const {
  if (taken_.size() == value_.node().size()) return;
  refuse_unknown();
  for (const auto& [key, node] : value_.node().items())
    if (std::find(taken_.begin(), taken_.end(), &node) == taken_.end())
      fail_at(key, what_ + " takes no \"" + key + "\"");
}

}  // namespace roofline
