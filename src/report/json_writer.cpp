#include "report/json_writer.hpp"

namespace roofline {

void JsonWriter::new_line() {
  if (!indented_) return;
  out_ += '\n';
  out_.append(2 * depth_, ' ');
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (depth_ == 0) return;
  if (has_items_) out_ += ',';
  has_items_ = true;
  new_line();
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += indented_ ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::comma_key(std::string_view text) {
  if (indented_) {
    separate();
    out_ += text.substr(1);
    out_ += ' ';
  } else {
    out_ += has_items_ ? text : text.substr(1);
    has_items_ = true;
  }
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(const Cell& cell) {
  separate();
  append_json(out_, cell);
  return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  ++depth_;
  has_items_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  --depth_;
  if (has_items_) new_line();
  has_items_ = true;  // of the one around it: this
  out_ += bracket;
  return *this;
}

}  // namespace roofline
