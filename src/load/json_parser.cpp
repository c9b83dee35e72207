#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load/json.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

using Library = nlohmann::json;

constexpr std::size_t deepest = 64;

/// Values whose end is not read yet, in memory that serves the next record. Parts of nested values
/// are stacked on those of the outer value.
struct OpenValues {
  struct Level {
    bool is_array;
    std::size_t first;     ///< index of its first part
    std::string_view key;  ///< of the member being read
  };

  std::vector<Level> levels;
  std::vector<JsonNode> parts;
};

/// Builds a document's values from parser events and tracks their place.
class TreeBuilder final : public nlohmann::json_sax<Library> {
 public:
  /// Builds in `memory`, which serves one builder at a time.
  TreeBuilder(JsonDocument& document, KeyOrder order, OpenValues& memory)
      : document_(&document), order_(order), open_(memory.levels), parts_(memory.parts) {
    open_.clear();
    parts_.clear();
  }

  const JsonNode& root() const { return root_; }
  const std::optional<JsonFault>& fault() const { return fault_; }

  bool null() override { return add({}); }
  bool boolean(bool value) override { return add({value}); }
  bool number_integer(std::int64_t value) override { return add({value}); }
  bool number_unsigned(std::uint64_t value) override { return add({value}); }
  bool number_float(double value, const std::string& text) override {
    if (text.empty() || !is_in_id()) return add({value});
    return add({JsonNode::NumberText{document_->keep(text)}});
  }
  bool string(std::string& text) override { return add_text(text); }
  bool binary(Library::binary_t&) override { return false; }  // no JSON text has any
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool key(std::string& name) override { return add_key(name); }

  /// Whether the next value is of an `id`, whose number keeps its digits.
  bool is_in_id() const {
    if (order_ != KeyOrder::sorted || open_.empty() || open_.back().is_array) return false;
    const std::string_view key = open_.back().key;
    return key.size() == 2 && lower_case(key) == "id";
  }

  bool add_text(std::string_view text) { return add({document_->keep(text)}); }

  bool add_key(std::string_view name) {
    open_.back().key = document_->keep(name);
    return true;
  }

  bool end_object() override {
    const std::span members = std::span(parts_).subspan(open_.back().first);
    if (order_ == KeyOrder::sorted)
      if (const JsonNode* repeated = sort_members(members)) fail_repeated(repeated->key);
    if (order_ == KeyOrder::as_written && members.size() > JsonNode::few_members)
      std::ranges::stable_sort(members, {}, &JsonNode::key);
    return close({JsonNode::Members{document_->keep(members)}});
  }

  bool end_array() override {
    return close(
        {JsonNode::Elements{document_->keep(std::span(parts_).subspan(open_.back().first))}});
  }

  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception& error) override {
    const bool is_number = dynamic_cast<const Library::out_of_range*>(&error) != nullptr;
    fault_ = {byte, error.what(), is_number, pointer()};
    return false;
  }

 private:
  std::string pointer() const {
    std::string text;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const std::size_t end = i + 1 < open_.size() ? open_[i + 1].first : parts_.size();
      append_part(text, open_[i].is_array, end - open_[i].first, open_[i].key);
    }
    return text;
  }

  bool add(const JsonNode& value) {
    if (open_.empty())
      root_ = value;
    else
      parts_.push_back({value.content, open_.back().key});
    return true;
  }

  bool open(bool is_array) {
    if (open_.size() == deepest)
      throw document_->origin().error(
          "", "expected at most " + std::to_string(deepest) + " levels of nesting, got more");
    open_.push_back({is_array, parts_.size(), {}});
    return true;
  }

  bool close(const JsonNode& value) {
    parts_.resize(open_.back().first);
    open_.pop_back();
    return add(value);
  }

  [[noreturn]] void fail_repeated(std::string_view key) {
    open_.back().key = key;
    throw document_->origin().error(pointer(), "expected each key once, got this one twice");
  }

  JsonDocument* document_;
  KeyOrder order_;
  std::vector<OpenValues::Level>& open_;
  std::vector<JsonNode>& parts_;
  JsonNode root_;
  std::optional<JsonFault> fault_;
};

/// Passes on simdjson's values as nlohmann's parser does. Returns false at the number of an id:
/// nlohmann's parser alone knows its text.
bool build(const simdjson::dom::element& value, TreeBuilder& builder) {
  using Type = simdjson::dom::element_type;
  switch (value.type()) {
    case Type::ARRAY:
      builder.start_array(0);
      for (const auto element : simdjson::dom::array(value))
        if (!build(element, builder)) return false;
      builder.end_array();
      break;
    case Type::OBJECT:
      builder.start_object(0);
      for (const auto& [key, member] : simdjson::dom::object(value)) {
        builder.add_key(key);
        if (!build(member, builder)) return false;
      }
      builder.end_object();
      break;
    case Type::INT64:
      if (const auto number = std::int64_t(value); number < 0)
        builder.number_integer(number);
      else
        builder.number_unsigned(static_cast<std::uint64_t>(number));
      break;
    case Type::UINT64: builder.number_unsigned(std::uint64_t(value)); break;
    case Type::DOUBLE:
      if (builder.is_in_id()) return false;
      builder.number_float(double(value), {});
      break;
    case Type::STRING: builder.add_text(std::string_view(value)); break;
    case Type::BOOL: builder.boolean(bool(value)); break;
    case Type::NULL_VALUE: builder.null(); break;
  }
  return true;
}

/// Counted by quotes, commas and brackets.
struct ValueCounts {
  std::uint64_t all = 1;
  std::uint64_t most_of_object = 1;  ///< of one object, without nested objects
};

ValueCounts count_values(std::string_view text) {
  ValueCounts counts;
  std::uint64_t own = 1;                // of the innermost object
  std::vector<std::uint64_t> around{};  // of the enclosing objects
  for (std::size_t i = 0; i < text.size() && around.size() <= deepest; ++i) {
    const char c = text[i];
    if (c == '"') {
      while (++i < text.size() && text[i] != '"') i += text[i] == '\\' ? 1U : 0U;
    } else if (c == ',' || c == '[') {
      ++counts.all;
      counts.most_of_object = std::max(counts.most_of_object, ++own);
    } else if (c == '{') {
      ++counts.all;
      around.push_back(std::exchange(own, 1));
    } else if (c == '}' && !around.empty()) {
      own = std::max<std::uint64_t>(around.back(), 1) - 1;  // without the object itself
      around.pop_back();
    }
  }
  return counts;
}

/// A value takes a hundred bytes of memory, and two of text. Throws InputError for more values than
/// a layer, record or event needs, or a document's layers.
void check_values(std::string_view text, bool is_document, const Origin& origin) {
  const InputLimits& limits = origin.limits;
  if (text.size() <= limits.values) return;
  const std::size_t begin = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (begin == text.npos || (text[begin] != '{' && text[begin] != '[')) return;  // no JSON
  constexpr std::uint64_t as_many = 4;  // layers of a document
  const ValueCounts counts = count_values(text);
  if (counts.most_of_object > limits.values || (!is_document && counts.all > limits.values))
    throw limit_error(origin.source, origin.where(""), expected_values(limits));
  if (counts.all > as_many * limits.values)
    throw limit_error(origin.source, origin.where(""),
                      "at most " + std::to_string(as_many * limits.values) + " values in one text");
}

/// Whether simdjson takes the text; `builder` then has its values.
bool parse_fast(std::string_view text, TreeBuilder& builder) {
  constexpr std::size_t worth_keeping_byte = 1 << 20;
  thread_local simdjson::dom::parser parser;  // keeps its memory for the next text
  simdjson::dom::element root;
  const bool is_json =
      parser.parse(text.data(), text.size()).get(root) == simdjson::SUCCESS && build(root, builder);
  if (text.size() > worth_keeping_byte) parser = simdjson::dom::parser();
  return is_json;
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

class ListReader {
 public:
  ListReader(ByteStream& stream, const TakeListed& take)
      : stream_(&stream), take_(&take), document_(Origin{stream.name(), {}, stream.limits()}) {}

  void read() {
    if (next() == '[') {
      read_list("");
    } else {
      pass('{');
      if (next() != '}') do {
          const std::string key(read_value().try_text());
          pass(':');
          if (next() == '[')
            read_list(key);
          else
            read_value();
        } while (goes_on());
      pass('}');
    }
    if (next() != '\0') fail(passed_byte_ + 1, not_json);
  }

 private:
  static constexpr const char* not_json = "expected JSON, got something else";
  static constexpr const char* cut_off = "expected the rest of the trace, got the end of the text";

  [[noreturn]] void fail(std::uint64_t byte, const char* message) const {
    throw InputError(stream_->name(), "byte " + std::to_string(byte), message);
  }

  [[noreturn]] void fail(const JsonFault& fault) const {
    const bool at_end = fault.reason.find("unexpected end of input") != std::string::npos;
    const bool not_utf8 = fault.reason.find("UTF-8") != std::string::npos;
    fail(passed_byte_ + fault.byte, at_end     ? cut_off
                                    : not_utf8 ? "expected UTF-8 text, got a byte that is not"
                                               : not_json);
  }

  void skip(std::size_t count) {
    stream_->skip(count);
    passed_byte_ += count;
  }

  /// The next byte that is not blank, without consuming it; NUL at the end.
  char next() {
    while (true) {
      const std::string_view bytes = stream_->peek(1);
      const auto* found = std::ranges::find_if_not(bytes, is_blank);
      skip(static_cast<std::size_t>(found - bytes.begin()));
      if (found != bytes.end()) return *found;
      if (bytes.empty()) return '\0';
    }
  }

  void pass(char expected) {
    const char found = next();
    if (found == '\0' && stream_->peek(1).empty()) fail(passed_byte_ + 1, cut_off);
    if (found != expected) fail(passed_byte_ + 1, not_json);
    skip(1);
  }

  bool goes_on() {
    if (next() != ',') return false;
    skip(1);
    return true;
  }

  void read_list(const std::string& name) {
    pass('[');
    if (next() != ']') do {
        const Value element = read_value();
        (*take_)(name, element);
      } while (goes_on());
    pass(']');
  }

  /// Consumes a value, which is valid until the next call.
  Value read_value() {
    next();
    const std::string_view text = peek_value(*stream_);
    document_.clear();
    const ParsedJson parsed = parse_json(text, KeyOrder::as_written, document_);
    if (parsed.fault) fail(*parsed.fault);
    document_.set_root(parsed.root);
    skip(text.size());
    return document_.root();
  }

  ByteStream* stream_;
  const TakeListed* take_;
  JsonDocument document_;
  std::uint64_t passed_byte_ = 0;
};

}  // namespace

// Ten times as fast as nlohmann's parser, which takes larger integers and locates syntax errors.
ParsedJson parse_json(std::string_view text, KeyOrder order, JsonDocument& document) {
  const Origin& origin = document.origin();
  check_values(text, order == KeyOrder::sorted && !origin.line, origin);
  // One thread at a time parses a long text, since that takes many times its memory.
  static std::mutex long_texts;
  std::unique_lock alone(long_texts, std::defer_lock);
  if (text.size() > origin.limits.values) alone.lock();
  constexpr std::size_t longest_record_byte = 1 << 14;
  thread_local OpenValues kept;
  OpenValues own;
  OpenValues& memory = text.size() > longest_record_byte ? own : kept;
  TreeBuilder fast(document, order, memory);
  if (parse_fast(text, fast)) return {fast.root(), {}};
  TreeBuilder builder(document, order, memory);
  if (!Library::sax_parse(text.begin(), text.end(), &builder)) return {{}, builder.fault()};
  // The library takes a NUL for the end.
  const std::size_t nul = text.find('\0');
  if (nul != text.npos) return {{}, JsonFault{nul + 1, "", false, ""}};
  return {builder.root(), {}};
}

const JsonNode* sort_members(std::span<JsonNode> members) {
  std::ranges::sort(members, {}, &JsonNode::key);
  const auto found = std::ranges::adjacent_find(members, {}, &JsonNode::key);
  return found == members.end() ? nullptr : &*found;
}

void append_part(std::string& pointer, std::string_view key) {
  pointer += '/';
  for (const char c : beginning(key)) {
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer += c;
  }
}

void append_part(std::string& pointer, bool is_element, std::size_t index, std::string_view key) {
  if (is_element)
    pointer += '/' + std::to_string(index);
  else
    append_part(pointer, key);
}

bool ValueEnd::is_in(std::string_view text) {
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      in_string = c != '"';
      if (!in_string && depth == 0) {
        ++at;
        return true;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return true;
      if (--depth == 0) {
        ++at;
        return true;
      }
    } else if (depth == 0 && (c == ',' || c == ':' || is_blank(c))) {
      return true;
    }
  }
  return false;
}

std::string_view peek_value(ByteStream& stream) {
  ValueEnd end;
  std::string_view text = stream.peek(1);
  while (!end.is_in(text)) {
    const std::size_t seen = text.size();
    text = stream.peek(seen + 1);
    if (text.size() == seen) break;
  }
  return text.substr(0, end.at);
}

void for_each_listed(ByteStream& stream, const TakeListed& take) {
  ListReader(stream, take).read();
}

}  // namespace roofline
