#pragma once

// Numbers in sentences of the model, which has no formatting library.

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace roofline {

/// At most `digits` significant ones: "1500", "0.88", "4.35e+12".
inline std::string number_text(double value, int digits = 6) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::general, digits);
  return {buffer.data(), result.ptr};
}

/// The same, but whole numbers in full where their digits count: "1605632", "1.25e+14".
inline std::string calculator_text(double value) {
  constexpr double readable = 1e9;
  constexpr double exact = 1e15;
  if (value != std::floor(value) || std::fabs(value) >= exact) return number_text(value);
  const bool round = std::fabs(value) >= readable && std::stod(number_text(value)) == value;
  return round ? number_text(value) : std::to_string(static_cast<std::int64_t>(value));
}

}  // namespace roofline
