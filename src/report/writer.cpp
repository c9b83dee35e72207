#include "report/writer.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "model/text.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

constexpr std::array<char, 200> list_digit_pairs() {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i)
    pairs[i] = static_cast<char>('0' + (i % 2 == 0 ? i / 2 / 10 : i / 2 % 10));
  return pairs;
}

/// Two digits of each number below 100.
constexpr std::array digit_pairs = list_digit_pairs();

constexpr std::array<std::uint64_t, 20> list_powers_of_ten() {
  std::array<std::uint64_t, 20> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = 10 * powers[i - 1];
  return powers;
}

constexpr std::array powers_of_ten = list_powers_of_ten();

/// The number is above 0.
std::size_t digit_count(std::uint64_t number) {
  const auto fewest = static_cast<std::size_t>(std::bit_width(number) * 1233) >> 12;  // log10(2)
  return fewest + (number >= powers_of_ten[fewest] ? 1 : 0);
}

/// Writes a number above 0; returns the end.
char* put_digits(char* first, std::uint64_t number) {
  char* const end = first + digit_count(number);
  char* to = end;
  for (; number >= 100; number /= 100) {
    to -= 2;
    std::memcpy(to, digit_pairs.data() + 2 * (number % 100), 2);
  }
  if (number < 10)
    *first = static_cast<char>('0' + number);
  else
    std::memcpy(first, digit_pairs.data() + 2 * number, 2);
  return end;
}

/// As fmt's "{}", in two thirds of its time: its digits, laid out here. `to` has room for 40.
char* put_shortest(char* to, double value) {
  constexpr std::size_t most_digits = 17;
  constexpr int least_fixed = -3;  // digits before the point: 0.0001234
  constexpr int most_fixed = 16;
  if (std::signbit(value)) *to++ = '-';
  const auto [number, exponent] = fmt::detail::dragonbox::to_decimal(std::fabs(value));
  std::array<char, 2 * most_digits> digits{};  // a part of them is copied with what follows
  const int count = static_cast<int>(put_digits(digits.data(), number) - digits.data());
  const int before_point = count + exponent;
  const auto copy = [&](int first, int last) {
    std::memcpy(to, digits.data() + first, most_digits);
    to += last - first;
  };
  if (before_point < least_fixed || before_point > most_fixed) {
    copy(0, 1);
    if (count > 1) *to++ = '.';
    copy(1, count);
    *to++ = 'e';
    *to++ = before_point < 1 ? '-' : '+';
    const int power = std::abs(before_point - 1);
    if (power < 10) *to++ = '0';
    return put_digits(to, static_cast<std::uint64_t>(power));
  }
  if (before_point > 0) {
    copy(0, before_point);
    *to++ = '.';
    copy(before_point, count);
  } else {
    constexpr std::string_view zeros = "0.000";
    std::memcpy(to, zeros.data(), zeros.size());
    to += 2 - before_point;
    copy(0, count);
  }
  return to;
}

/// Rows repeat numbers: a GPU's ridge, a bound that equals one of two times, alike layers.
struct KnownNumber {
  std::uint64_t bits = 0;
  std::array<char, 48> characters{};  // the shortest digits are 24 at most
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
    known.size = static_cast<std::size_t>(put_shortest(first, value) - first);
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
  char* const digits = room(most);
  used_ += static_cast<std::size_t>(put_digits(digits, count) - digits);
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
    out_.add_quoted(text);
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
  out_.add_quoted(name);
  out_.add(indented_ ? ": " : ":");
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
    if (is_formula(valid))
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
