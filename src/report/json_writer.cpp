#include "report/json_writer.hpp"

#include <nlohmann/json.hpp>

#include "report/text.hpp"

namespace roofline {

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
