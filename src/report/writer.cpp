#include "report/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

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

/// Eight digits of a number below 10^8, at once: fours, pairs and digits side by side in a word.
void put_eight(char* to, std::uint64_t number) {
  // Each quotient is exact for all dividends that occur: 10486 / 2^20 is 1/100 up to 9,999, and
  // 103 / 2^10 is 1/10 up to 99.
  const std::uint64_t fours = number / 10000 | (number % 10000) << 32;
  const std::uint64_t hundreds = (fours * 10486 >> 20) & 0x0000'007F'0000'007F;
  const std::uint64_t pairs = hundreds | (fours - 100 * hundreds) << 16;
  const std::uint64_t tens = (pairs * 103 >> 10) & 0x000F'000F'000F'000F;
  const std::uint64_t digits = tens | (pairs - 10 * tens) << 8;
  const std::uint64_t text = digits | 0x3030'3030'3030'3030;
  std::memcpy(to, &text, sizeof text);
  if constexpr (std::endian::native == std::endian::big) std::reverse(to, to + sizeof text);
}

/// What put_digits() may write to: a few digits beyond the number's own.
constexpr std::size_t digit_room = std::numeric_limits<std::uint64_t>::digits10 + 1 + 8;

constexpr std::uint64_t eight_digits = 100'000'000;

/// Writes the number; returns the end.
char* put_digits(char* first, std::uint64_t number) {
  const auto put_pair = [](char* to, std::uint64_t pair) {
    if (pair < 10)
      *to++ = static_cast<char>('0' + pair);
    else
      std::memcpy(std::exchange(to, to + 2), digit_pairs.data() + 2 * pair, 2);
    return to;
  };
  if (number < 100) return put_pair(first, number);
  if (number < 10000) {
    char* const middle = put_pair(first, number / 100);
    std::memcpy(middle, digit_pairs.data() + 2 * (number % 100), 2);
    return middle + 2;
  }
  if (number < eight_digits) {
    std::array<char, 16> padded{};  // what follows the digits is copied, too
    put_eight(padded.data(), number);
    const std::size_t count = digit_count(number);
    std::memcpy(first, padded.data() + 8 - count, 8);
    return first + count;
  }
  char* const last = put_digits(first, number / eight_digits);
  put_eight(last, number % eight_digits);
  return last + 8;
}

/// As fmt's "{}", in two thirds of its time: its digits, laid out here. `to` has room for 40.
char* put_shortest(char* to, double value) {
  constexpr std::size_t most_digits = 17;
  constexpr int least_fixed = -3;  // digits before the point: 0.0001234
  constexpr int most_fixed = 16;
  if (std::signbit(value)) *to++ = '-';
  const auto [number, exponent] = fmt::detail::dragonbox::to_decimal(std::fabs(value));
  // All 17, with leading zeros: digits in whole words need no branches. A part of them is copied
  // with what follows.
  std::array<char, 24 + most_digits> digits{};
  const std::uint64_t upper = number / eight_digits;
  digits[7] = static_cast<char>('0' + upper / eight_digits);
  put_eight(digits.data() + 8, upper % eight_digits);
  put_eight(digits.data() + 16, number % eight_digits);
  const int count = static_cast<int>(digit_count(number));
  const char* const significant = digits.data() + 24 - count;
  const int before_point = count + exponent;
  const auto copy = [&](int first, int last) {
    std::memcpy(to, significant + first, most_digits);
    to += last - first;
  };
  if (before_point < least_fixed || before_point > most_fixed) {
    copy(0, 1);
    if (count > 1) *to++ = '.';
    copy(1, count);
    *to++ = 'e';
    *to++ = before_point < 1 ? '-' : '+';
    const auto power = static_cast<std::size_t>(std::abs(before_point - 1));
    if (power >= 100) return put_digits(to, power);
    std::memcpy(to, digit_pairs.data() + 2 * power, 2);
    return to + 2;
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
  char* const digits = room(digit_room);
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
      std::memcpy(room(2), ".0", 2);
      used_ += 2;
      return;
    }
  }
  const KnownNumber& known = known_number(value);
  constexpr std::size_t most = sizeof known.characters;
  std::memcpy(room(most), known.characters.data(), most);  // in a few moves
  used_ += known.size;
}

void TextBuffer::add_counts(std::span<const std::uint64_t> counts) {
  char bracket = '[';
  for (const std::uint64_t count : counts) {
    char* to = room(1 + digit_room);
    *to++ = std::exchange(bracket, ',');
    to = put_digits(to, count);
    used_ = static_cast<std::size_t>(to - gathered_.data());
  }
  add(counts.empty() ? "[]" : "]");
}

void JsonWriter::add_string(std::string_view text) {
  if (is_plain(text)) {
    out_.add_quoted(text);
  } else {
    out_.add(dumped(nlohmann::json(std::string(text)), -1));
  }
}

void JsonWriter::new_line() {
  constexpr std::string_view deep = "\n                                ";
  constexpr std::size_t deepest = deep.size() / 2;
  out_.add(deep.substr(0, 1 + 2 * std::min(depth_, deepest)));
  for (std::size_t i = deepest; i < depth_; ++i) out_.add("  ");
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
  if (!indented_) {
    separate();
    out_.add_counts(counts);
    has_items_ = true;
    end_value();
    return *this;
  }
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

void append_csv_row(TextBuffer& out, std::span<const Cell> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out.add(',');
    append_csv(out, cells[i]);
  }
  out.add('\n');
}

}  // namespace roofline
