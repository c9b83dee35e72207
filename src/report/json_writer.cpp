#include "report/json_writer.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "report/text.hpp"

namespace roofline {

JsonKey::JsonKey(std::string_view name) : size_(name.size() + 4) {
  if (size_ > block_size) throw std::length_error("JsonKey: " + std::string(name));
  const std::string text = ",\"" + std::string(name) + "\":";
  std::copy(text.begin(), text.end(), text_.begin());
}

struct JsonWriter::WriteValue {
  JsonWriter& writer;

  void operator()(std::monostate) const { writer.out_.add("null"); }
  void operator()(std::string_view text) const { writer.add_string(text); }
  void operator()(std::uint64_t count) const { writer.out_.add_count(count); }
  void operator()(double value) const {
    if (std::isfinite(value))
      writer.out_.add_number(value);
    else
      writer.out_.add("null");
  }
  void operator()(bool value) const { writer.out_.add(value ? "true" : "false"); }
  void operator()(const JsonValue& json) const {
    // It need not set itself apart again.
    writer.after_key_ = true;
    const bool indented = std::exchange(writer.indented_, false);
    json.write(writer);
    writer.indented_ = indented;
  }
};

void JsonWriter::add_string(std::string_view text) {
  if (is_plain(text)) {
    out_.add('"');
    out_.add(text);
    out_.add('"');
  } else {
    out_.add(nlohmann::json(std::string(text))
                 .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

void JsonWriter::new_line() {
  out_.add('\n');
  for (std::size_t i = 0; i < depth_; ++i) out_.add("  ");
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  add_string(name);
  out_.add(indented_ ? ": " : ":");
  after_key_ = true;
  return *this;
}

void JsonWriter::add_key_apart(const JsonKey& key) {
  begin_item();
  out_.add(std::span(key.text_).last<JsonKey::block_size>(), key.size_ - 1);
  if (indented_) out_.add(' ');
}

JsonWriter& JsonWriter::member(const JsonKey& key, const Cell& cell) {
  add_key(key);
  std::visit(WriteValue{*this}, cell);
  return *this;
}

JsonWriter& JsonWriter::value(const Cell& cell) {
  separate();
  std::visit(WriteValue{*this}, cell);
  end_value();
  return *this;
}

JsonWriter& JsonWriter::counts(std::span<const std::uint64_t> counts) {
  begin_array();
  for (const std::uint64_t count : counts) {
    separate();
    out_.add_count(count);
  }
  return end_array();
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_.add(bracket);
  ++depth_;
  has_items_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  --depth_;
  if (has_items_ && indented_) new_line();
  has_items_ = true;  // of the one around it: this
  out_.add(bracket);
  end_value();
  return *this;
}

}  // namespace roofline
