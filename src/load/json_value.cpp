#include "load/json_value.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "load/json_pointer.hpp"
#include "model/spelling.hpp"

namespace roofline {
namespace {

constexpr double largest_exact_integer = 9007199254740992.0;  // 2^53

template <class Part>
std::string with_part(std::string pointer, Part part) {
  append_part(pointer, part);
  return pointer;
}

/// Appends the way from one node to another beneath it; false where that is not beneath. An
/// array's elements lie side by side, so that long ones are not searched one by one.
bool append_way(std::string& pointer, const JsonNode& from, const JsonNode& to) {
  if (&from == &to) return true;
  const std::size_t end = pointer.size();
  const std::span<const JsonNode> elements = from.elements();
  const std::less<const JsonNode*> before;
  if (!elements.empty() && !before(&to, &elements.front()) && !before(&elements.back(), &to)) {
    append_part(pointer, static_cast<std::size_t>(&to - &elements.front()));
    return true;
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    append_part(pointer, i);
    if (append_way(pointer, elements[i], to)) return true;
    pointer.resize(end);
  }
  for (const auto& [key, value] : from.members()) {
    append_part(pointer, key);
    if (append_way(pointer, value, to)) return true;
    pointer.resize(end);
  }
  return false;
}

/// A node as it is shown in a message: short ones whole, long ones by kind.
std::string shown(const JsonNode& node) {
  constexpr std::size_t longest = 60;
  std::string text = text_of(node);
  if (text.size() <= longest) return text;
  if (node.is_array()) return "an array of " + std::to_string(node.size());
  if (node.is_object()) return "an object";
  return "a long string";
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
  if (line) place.where = std::to_string(*line);
  if (line && !pointer.empty()) place.where += ": ";
  place.where += pointer;
  return place;
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

Value Value::at(std::size_t index) const { return beneath(node_->elements()[index]); }

Value Value::at(std::string_view key) const { return beneath(*node_->find(key)); }

std::uint64_t Value::integer(std::uint64_t least) const {
  const JsonNode::Content& content = node_->content();
  if (const auto* number = std::get_if<std::uint64_t>(&content)) {
    if (*number >= least) return *number;
  } else if (const auto* negative = std::get_if<std::int64_t>(&content)) {
    if (least == 0 && *negative == 0) return 0;  // -0
  } else if (const auto* real = std::get_if<double>(&content)) {
    // "64.0", as some programs write integers
    if (*real >= static_cast<double>(least) && *real <= largest_exact_integer &&
        std::floor(*real) == *real)
      return static_cast<std::uint64_t>(*real);
  }
  fail_expected("an integer >= " + std::to_string(least));
}

double Value::positive_number() const {
  // What lies outside is no quantity of a GPU or a layer, and products of it may leave a double.
  constexpr double least = 1e-30;
  constexpr double most = 1e30;
  if (!node_->is_number() || !(node_->number() > 0)) fail_expected("a number > 0");
  const double number = node_->number();
  if (number < least || number > most) fail_expected("a number from 1e-30 to 1e30");
  return number;
}

bool Value::boolean() const {
  if (node_->is_boolean()) return node_->boolean();
  fail_expected("true or false");
}

std::string Value::text() const {
  if (!node_->is_string()) fail_expected("a string");
  return std::string(node_->text());
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
  const JsonNode* found = value_.node().find(key);
  if (found == nullptr) return std::nullopt;
  if (std::find(taken_.begin(), taken_.end(), found) == taken_.end()) taken_.push_back(found);
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
  for (const auto& [key, node] : value_.node().members())
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
      fail_at(key, "expected a key of " + what_ + ", got \"" + std::string(key) + "\"" +
                       did_you_mean(key, known_));
}

void ObjectReader::finish() const {
  if (taken_.size() == value_.node().size()) return;
  refuse_unknown();
  for (const auto& [key, node] : value_.node().members())
    if (std::find(taken_.begin(), taken_.end(), &node) == taken_.end())
      fail_at(key, what_ + " takes no \"" + std::string(key) + "\"");
}

}  // namespace roofline
