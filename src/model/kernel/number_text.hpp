#pragma once

// Numbers in sentences of the model, which has no formatting library.

#include <array>
#include <charconv>
#include <string>

namespace roofline {

/// At most `digits` significant ones: "1500", "0.88", "4.35e+12".
inline std::string number_text(double value, int digits = 6) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::general, digits);
  return {buffer.data(), result.ptr};
}

}  // namespace roofline
