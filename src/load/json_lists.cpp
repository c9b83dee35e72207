
#include "load/json_parser.hpp"

namespace roofline {
namespace {

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

bool ValueEnd::is_in(std::string_view text) {
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      in_string = c != '"';
      if (!in_string && depth == 0) return ++at, true;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return true;
      if (--depth == 0) return ++at, true;
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
