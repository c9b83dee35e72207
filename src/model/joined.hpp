#pragma once

// Tables in parts, one a subject: their rows in one array.

#include <algorithm>
#include <array>
#include <cstddef>

namespace roofline {

template <class Row, std::size_t... Sizes>
constexpr auto joined(const std::array<Row, Sizes>&... parts) {
  std::array<Row, (Sizes + ...)> all{};
  auto next = all.begin();
  ((next = std::ranges::copy(parts, next).out), ...);
  return all;
}

}  // namespace roofline
