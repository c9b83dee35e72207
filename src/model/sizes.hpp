#pragma once

// Checked 64-bit arithmetic of sizes.

#include "roofline/error.hpp"

namespace roofline {

/// A function of its own keeps callers small enough for inlining.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail_overflow() { throw OverflowError(); }

/// a * b * ...; throws OverflowError beyond 64 bits.
template <class... Rest>
constexpr std::uint64_t checked_mul(std::uint64_t a, std::uint64_t b, Rest... rest) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) fail_overflow();
  if constexpr (sizeof...(rest) == 0)
    return product;
  else
    return checked_mul(product, rest...);
}

/// a + b + ...; throws OverflowError beyond 64 bits.
template <class... Rest>
constexpr std::uint64_t checked_add(std::uint64_t a, std::uint64_t b, Rest... rest) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) fail_overflow();
  if constexpr (sizeof...(rest) == 0)
    return sum;
  else
    return checked_add(sum, rest...);
}

/// Throws OverflowError.
template <class Sizes>
constexpr std::uint64_t checked_product(const Sizes& sizes) {
  std::uint64_t product = 1;
  for (const std::uint64_t size : sizes) product = checked_mul(product, size);
  return product;
}

constexpr std::uint64_t ceil_div(std::uint64_t value, std::uint64_t unit) {
  return value / unit + (value % unit != 0 ? 1 : 0);
}

}  // namespace roofline
