#pragma once

#include <cstdint>

#include "roofline/error.hpp"

namespace roofline {

/// a * b * ...; throws OverflowError where the product exceeds 64 bits.
template <class... Rest>
constexpr std::uint64_t checked_mul(std::uint64_t a, std::uint64_t b, Rest... rest) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw OverflowError();
  if constexpr (sizeof...(rest) == 0)
    return product;
  else
    return checked_mul(product, rest...);
}

/// a + b + ...; throws OverflowError where the sum exceeds 64 bits.
template <class... Rest>
constexpr std::uint64_t checked_add(std::uint64_t a, std::uint64_t b, Rest... rest) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw OverflowError();
  if constexpr (sizeof...(rest) == 0)
    return sum;
  else
    return checked_add(sum, rest...);
}

}  // namespace roofline
