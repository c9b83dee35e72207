#pragma once

// The names of copies: a second "relu" is "relu#2".

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace roofline {

inline std::string name_of_copy(std::string_view name, std::size_t number) {
  return std::string(name) + "#" + std::to_string(number);
}

/// The name without such a number.
inline std::string_view without_copy(std::string_view name) {
  const std::size_t at = name.find_last_of('#');
  if (at == name.npos || at == 0 || at + 1 == name.size()) return name;
  const std::string_view number = name.substr(at + 1);
  const bool is_number =
      std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? name.substr(0, at) : name;
}

}  // namespace roofline
