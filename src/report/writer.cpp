#include "report/writer.hpp"

#include <fmt/compile.h>

#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "model/text.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Rows repeat numbers: a GPU's ridge, a bound that equals one of two times, alike layers.
struct KnownNumber {
  std::uint64_t bits = 0;
  std::array<char, 32> characters{};  // the shortest digits are 24 at most
  std::size_t size = 0;
};

const KnownNumber& known_number(double value) {
  constexpr int index_bits = 8;
  thread_local std::array<KnownNumber, 1 << index_bits> all{};
  const auto bits = std::bit_cast<std::uint64_t>(value);
  KnownNumber& known = all[(bits * 0x9E3779B97F4A7C15) >> (64 - index_bits)];
  if (known.bits != bits) {
    known.bits = bits;
    char* const first = known.characters.data();
    known.size = static_cast<std::size_t>(fmt::format_to(first, FMT_COMPILE("{}"), value) - first);
  }
  return known;
}

void append_csv_text(TextBuffer& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return out.add(text);
  out.add('"');
  for (const char c : text) {
    if (c == '"') out.add('"');
    out.add(c);
  }
  out.add('"');
}

}  // namespace

void TextBuffer::flush() {
  out_.append(gathered_.data(), used_);
  used_ = 0;
}

void TextBuffer::add_beyond(std::string_view text) {
  flush();
  if (text.size() > gathered_.size())
    out_.append(text);
  else
    add(text);
}

void TextBuffer::add_digits(std::uint64_t count) {
  constexpr std::size_t most = std::numeric_limits<std::uint64_t>::digits10 + 1;
  char* digits = room(most);
  used_ += static_cast<std::size_t>(fmt::format_to(digits, FMT_COMPILE("{}"), count) - digits);
}

void TextBuffer::add_number(double value) {
  const double magnitude = std::fabs(value);
  constexpr double whole_below = 1e16;  // larger numbers have an exponent
  if (magnitude < whole_below) {
    const auto whole = static_cast<std::int64_t>(magnitude);
    if (static_cast<double>(whole) == magnitude) {
      if (std::signbit(value)) add('-');
      add_count(static_cast<std::uint64_t>(whole));
      return add(".0");
    }
  }
  const KnownNumber& known = known_number(value);
  add(std::string_view(known.characters.data(), known.size));
}

void JsonWriter::add_string(std::string_view text) {
  if (is_plain(text)) {
    out_.add('"');
    out_.add(text);
    out_.add('"');
  } else {
    out_.add(dumped(nlohmann::json(std::string(text)), -1));
  }
}

void JsonWriter::new_line() {
  out_.add('\n');
  for (std::size_t i = 0; i < depth_; ++i) out_.add("  ");
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  out_.add('"');
  out_.add(name);
  out_.add(indented_ ? "\": " : "\":");
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(const Cell& cell) {
  separate();
  write(cell);
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

JsonWriter& JsonWriter::json(std::string_view text) {
  separate();
  out_.add(text);
  end_value();
  return *this;
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
  has_items_ = true;  // the enclosing one has this one
  out_.add(bracket);
  end_value();
  return *this;
}

void append_csv(TextBuffer& out, const Cell& cell) {
  if (const auto* text = std::get_if<std::string_view>(&cell)) {
    const std::string changed(is_plain(*text) ? "" : valid_utf8(*text));
    const std::string_view valid = changed.empty() ? *text : changed;
    if (out.is_guarded() && is_formula(valid))
      append_csv_text(out, guarded(valid));
    else
      append_csv_text(out, valid);
  } else if (const auto* json = std::get_if<JsonValue>(&cell)) {
    std::string line;
    JsonWriter(line, false).value(*json);
    append_csv_text(out, line);
  } else if (const auto* number = std::get_if<double>(&cell)) {
    if (std::isfinite(*number)) out.add_number(*number);
  } else if (const auto* count = std::get_if<std::uint64_t>(&cell)) {
    out.add_count(*count);
  } else if (const auto* flag = std::get_if<bool>(&cell)) {
    out.add(*flag ? "true" : "false");
  }
}

}  // namespace roofline
