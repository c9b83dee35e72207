#include "load/json.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "load/csv.hpp"
#include "model/text.hpp"

namespace roofline {
std::string_view JsonDocument::keep(std::string_view text) {
  if (text.empty()) return {};
  auto* kept = static_cast<char*>(memory_.allocate(text.size(), 1));
  std::memcpy(kept, text.data(), text.size());
  return {kept, text.size()};
}

JsonNode::Parts JsonDocument::keep(std::span<const JsonNode> parts) {
  if (parts.empty()) return {};
  auto* kept = static_cast<JsonNode*>(memory_.allocate(parts.size_bytes(), alignof(JsonNode)));
  std::uninitialized_copy(parts.begin(), parts.end(), kept);
  return {kept, parts.size()};
}

namespace {

using Library = nlohmann::json;

/// Appends the path to a node inside; false if it is not inside. Parts are contiguous: no search.
bool append_way(std::string& pointer, const JsonNode& from, const JsonNode& to) {
  if (&from == &to) return true;
  const std::span<const JsonNode> parts = from.parts();
  const std::less<const JsonNode*> before;
  const bool is_part =
      !parts.empty() && !before(&to, &parts.front()) && !before(&parts.back(), &to);
  const std::size_t end = pointer.size();
  for (std::size_t i = is_part ? static_cast<std::size_t>(&to - parts.data()) : 0; i < parts.size();
       ++i) {
    append_part(pointer, from.holds<JsonNode::Elements>(), i, parts[i].key);
    if (append_way(pointer, parts[i], to)) return true;
    pointer.resize(end);
  }
  return false;
}

Library library_value(const JsonNode& node) {
  Library value;
  if (node.holds<JsonNode::Members>()) {
    value = Library::object();
    for (const JsonNode& part : node.parts()) value[std::string(part.key)] = library_value(part);
  } else if (node.holds<JsonNode::Elements>()) {
    value = Library::array();
    for (const JsonNode& part : node.parts()) value.push_back(library_value(part));
  } else {
    std::visit(
        [&](const auto& scalar) {
          using Scalar = std::remove_cvref_t<decltype(scalar)>;
          if constexpr (std::is_same_v<Scalar, JsonNode::NumberText>)
            value = scalar.text;
          else if constexpr (std::is_constructible_v<Library, decltype(scalar)>)
            value = scalar;
        },
        node.content);
  }
  return value;
}

/// For messages: a short value whole, a long one by its type.
std::string shown(const Value& value) {
  constexpr std::size_t longest = 60;
  std::string text = value.json();
  if (text.size() <= longest) return text;
  if (value.is_array()) return concat("an array of ", value.size());
  return value.is_object() ? "an object" : "a long string";
}

/// By its first line that is no comment: "- a", "key:" or "key: value", or a document's mark.
bool is_yaml(std::string_view text) {
  while (text.starts_with('#') || text.starts_with('\n'))
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t key = line.find(':');
  return line.starts_with("---") || line.starts_with("- ") || line.starts_with("%YAML") ||
         (key != line.npos && key > 0 && line.find_first_of(" \t\"'{[(<,") > key);
}

/// The form that other programs print for people, with the way to have it as a file; empty for
/// other texts.
std::string printed_form(std::string_view text) {
  struct Form {
    std::string_view mark;
    std::string_view what;
    std::string_view way;
  };
  constexpr std::string_view module = "a printed PyTorch module, which has no sizes of images";
  constexpr std::string_view exported =
      "export the model (torch.export.save(torch.export.export(model, (images,)), \"model.pt2\"))";
  constexpr Form forms[] = {
      {"Self CPU %", "torch.profiler's printed table, which has no shapes",
       "record with record_shapes=True and write profiler.export_chrome_trace(\"step.json\")"},
      {"Layer (type", "a table of layers without windows and strides", exported},
      {"Conv1d(", module, exported},
      {"Conv2d(", module, exported},
      {"Conv3d(", module, exported},
      {"Linear(in_features", module, exported},
  };
  constexpr std::size_t looked_at = 4096;
  for (const Form& form : forms)
    if (text.substr(0, looked_at).find(form.mark) != text.npos)
      return concat(form.what, ": ", form.way);
  return "";
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
  if (const std::string print = printed_form(text); !print.empty())
    return concat("expected JSON, got ", print);
  if (is_yaml(text)) return "expected JSON, got YAML: write the same as JSON";
  const char found = text[offset];
  std::string message = "expected JSON, got ";
  if (found == '\0') return message + "a NUL byte";
  if (static_cast<unsigned char>(found) < 0x20)
    return message + "a control character inside a string, or a string that is not closed";
  message += std::string("'") + found + "'";
  if (found == '{' || found == '[')
    message += " (expected one document, or one a line, as of jq -c)";
  if (found == '/' || found == '#') message += " (JSON has no comments)";
  if (found == '}' || found == ']') message += " (JSON has no trailing commas)";
  if (found == '\'') message += " (JSON strings take double quotes)";
  return message;
}

/// In UTF-8.
bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

[[noreturn]] void fail_parsing(std::string_view text, const Origin& origin,
                               const JsonFault& fault) {
  if (fault.is_number)
    throw origin.error(fault.pointer, "expected a number that a double can hold");
  const std::size_t offset = fault.byte == 0 ? 0 : fault.byte - 1;
  const std::string_view before = text.substr(0, offset);
  const auto breaks = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::string_view on_line = before.substr(before.rfind('\n') + 1);
  const auto column = std::ranges::count_if(on_line, starts_character) + 1;
  throw InputError(origin.source, concat(origin.line.value_or(1) + breaks, ":", column),
                   syntax_message(text, offset, fault.reason));
}

constexpr double largest_exact = 0x1p53;

std::string expected_integer(const JsonNode& found, std::uint64_t least) {
  const auto* real = std::get_if<double>(&found.content);
  const bool is_large = real != nullptr && *real > largest_exact;
  if (!is_large) return concat("an integer >= ", least);
  return concat("an integer from ", least, " to ", largest_integer,
                (*real < 0x1p64 ? " in digits alone" : ""));
}

/// Without the apostrophe that CSV has before a text which a spreadsheet would run (guarded()).
std::string_view unguarded(std::string_view text) {
  return text.starts_with('\'') && is_formula(text) ? text.substr(1) : text;
}

}  // namespace

std::string Origin::where(const std::string& pointer) const {
  if (!line) return pointer;
  return concat(*line, (pointer.empty() ? "" : ": " + pointer));
}

bool Value::is_number() const {
  return node_->holds<std::uint64_t>() || node_->holds<std::int64_t>() || node_->holds<double>() ||
         node_->holds<JsonNode::NumberText>();
}

const JsonNode* Value::member(std::string_view key) const {
  if (!is_object()) return nullptr;
  const std::span<const JsonNode> members = node_->parts();
  const bool are_few = members.size() <= JsonNode::few_members;
  const auto found = are_few ? std::ranges::find(members, key, &JsonNode::key)
                             : std::ranges::lower_bound(members, key, {}, &JsonNode::key);
  return found != members.end() && found->key == key ? &*found : nullptr;
}

Value Value::find(std::string_view key) const {
  static const JsonNode null;
  const JsonNode* found = member(key);
  if (found == nullptr) return {null, *document_};
  return {*found, *document_};
}

Value Value::require(std::string_view key, std::string_view expected) const {
  const JsonNode* found = member(key);
  if (found == nullptr) fail_at(key, "expected " + std::string(expected) + ", got nothing");
  return {*found, *document_};
}

void Value::check_keys(const std::string& what, const std::vector<std::string_view>& known) const {
  if (!is_object()) fail_expected("an object");
  for (const Value member : *this)
    if (std::ranges::find(known, member.key()) == known.end())
      member.fail("expected a key of " + what + ", got " + in_quotes(member.key()) +
                  did_you_mean(member.key(), known));
}

const Origin& Value::origin() const { return document_->origin(); }

std::string Value::pointer() const {
  std::string pointer;
  append_way(pointer, *document_->root().node_, *node_);
  return pointer;
}

Place Value::place() const { return {origin().source, origin().where(pointer()), true, {}}; }

void Value::fail(const std::string& message) const { throw origin().error(pointer(), message); }

void Value::fail_layer(LayerKind kind, const std::string& message) const {
  InputError error = origin().error(pointer(), message);
  error.remedy = Remedy::layer;
  error.layer_kind = kind;
  throw error;
}

void Value::fail_at(std::string_view key, const std::string& message) const {
  std::string place = pointer();
  append_part(place, key);
  throw origin().error(place, message);
}

void Value::fail_expected(const std::string& expected) const {
  fail("expected " + expected + ", got " + shown(*this));
}

std::uint64_t Value::integer(std::uint64_t least) const {
  if (const auto* number = std::get_if<std::uint64_t>(&node_->content)) {
    if (*number >= least) return *number;
  } else if (const auto* negative = std::get_if<std::int64_t>(&node_->content)) {
    if (least == 0 && *negative == 0) return 0;  // -0
  } else if (const auto* real = std::get_if<double>(&node_->content)) {
    // "64.0", as some programs write integers
    if (*real >= static_cast<double>(least) && *real <= largest_exact && std::floor(*real) == *real)
      return static_cast<std::uint64_t>(*real);
  }
  fail_expected(expected_integer(*node_, least));
}

double Value::number() const {
  if (const auto* whole = std::get_if<std::uint64_t>(&node_->content))
    return static_cast<double>(*whole);
  if (const auto* whole = std::get_if<std::int64_t>(&node_->content))
    return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&node_->content)) return *real;
  if (const auto* written = std::get_if<JsonNode::NumberText>(&node_->content))
    return number_in<double>(written->text).value_or(0);
  fail_expected("a number");
}

double Value::positive_number() const {
  // GPUs and layers have no values beyond, and products of such values may overflow.
  constexpr double least = 1e-30;
  constexpr double most = 1e30;
  if (!is_number() || !(number() > 0)) fail_expected("a number > 0");
  if (number() < least || number() > most) fail_expected("a number from 1e-30 to 1e30");
  return number();
}

bool Value::boolean() const {
  if (const auto* boolean = std::get_if<bool>(&node_->content)) return *boolean;
  fail_expected("true or false");
}

std::string Value::text() const {
  if (!is_string()) fail_expected("a string");
  return std::string(try_text());
}

std::vector<std::string> Value::texts() const {
  if (!is_array()) fail_expected("an array of strings");
  std::vector<std::string> all;
  for (const Value each : *this) all.push_back(each.text());
  return all;
}

std::size_t Value::choice(std::span<const std::string_view> names) const {
  const std::string name = text();
  const std::string wanted = lower_case(name);
  const auto found = std::ranges::find_if(
      names, [&](std::string_view each) { return lower_case(each) == wanted; });
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i)
    all += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + std::string(names[i]);
  fail("expected " + all + ", got " + in_quotes(name));
}

std::optional<std::uint64_t> Value::try_integer() const {
  const auto* number = std::get_if<std::uint64_t>(&node_->content);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::string_view Value::try_text() const {
  const auto* text = std::get_if<std::string_view>(&node_->content);
  return text == nullptr ? std::string_view() : *text;
}

std::string Value::json() const {
  if (const auto* written = std::get_if<JsonNode::NumberText>(&node_->content))
    return std::string(written->text);
  return library_value(*node_).dump(-1, ' ', false, Library::error_handler_t::replace);
}

JsonDocument::JsonDocument(std::string_view text, Origin origin) : JsonDocument(std::move(origin)) {
  const ParsedJson parsed = parse_json(text, KeyOrder::sorted, *this);
  if (parsed.fault) fail_parsing(text, origin_, *parsed.fault);
  root_ = parsed.root;
}

JsonNode JsonDocument::cell(std::string_view key, std::string_view text, bool is_text) {
  text = unguarded(text);
  if (is_text) return {keep(text), key};
  const ParsedJson parsed = parse_json(text, KeyOrder::sorted, *this);
  if (parsed.fault) return {keep(text), key};
  return {parsed.root.content, key};
}

JsonNode JsonDocument::id_cell(std::string_view key, std::string_view text, bool may_quote) {
  if (text == "true" || text == "false") return {text == "true", key};
  if (is_json_number(text)) return {JsonNode::NumberText{keep(text)}, key};
  if (may_quote && text.starts_with('"')) return cell(key, text, false);
  return {keep(text), key};
}

JsonNode JsonDocument::row(std::span<JsonNode> members) {
  if (sort_members(members) != nullptr)
    throw origin_.error("", "expected each column once, got one twice");
  return {JsonNode::Members{keep(members)}};
}

void JsonDocument::clear() {
  root_ = {};
  memory_.release();
}

}  // namespace roofline
