#include "report/appender.hpp"

#include <fmt/compile.h>

#include <bit>
#include <cmath>
#include <limits>

namespace roofline {
namespace {

/// Texts of the numbers that came lately. Rows repeat many: a GPU's ridge, a bound that is one of
/// two times, all of a layer that is like one before.
class NumberTexts {
 public:
  struct Text {
    std::array<char, 32> characters{};  // the shortest takes 24 at most
    std::size_t size = 0;
  };

  const Text& of(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    Known& known = known_[(bits * 0x9E3779B97F4A7C15) >> (64 - index_bits)];
    if (known.bits != bits) {
      known.bits = bits;
      char* const first = known.text.characters.data();
      known.text.size =
          static_cast<std::size_t>(fmt::format_to(first, FMT_COMPILE("{}"), value) - first);
    }
    return known.text;
  }

 private:
  static constexpr int index_bits = 8;
  struct Known {
    std::uint64_t bits = 0;
    Text text;
  };
  std::array<Known, 1 << index_bits> known_{};
};

}  // namespace

void Appender::flush() {
  out_.append(gathered_.data(), used_);
  used_ = 0;
}

void Appender::add_beyond(std::string_view text) {
  flush();
  if (text.size() > gathered_.size())
    out_.append(text);
  else
    add(text);
}

void Appender::add_digits(std::uint64_t count) {
  constexpr std::size_t most = std::numeric_limits<std::uint64_t>::digits10 + 1;
  char* digits = room(most);
  used_ += static_cast<std::size_t>(fmt::format_to(digits, FMT_COMPILE("{}"), count) - digits);
}

void Appender::add_number(double value) {
  const double magnitude = std::fabs(value);
  constexpr double whole_below = 1e16;  // from there on there is an exponent
  if (magnitude < whole_below) {
    const auto whole = static_cast<std::int64_t>(magnitude);
    if (static_cast<double>(whole) == magnitude) {
      if (std::signbit(value)) add('-');
      add_count(static_cast<std::uint64_t>(whole));
      add(".0");
      return;
    }
  }
  thread_local NumberTexts texts;
  const auto& [characters, size] = texts.of(value);
  add(std::span(characters), size);
}

}  // namespace roofline
