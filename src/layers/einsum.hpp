#pragma once

// Einsum's equations as matrix products.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "load/recording.hpp"

namespace roofline {

/// "bhid,bhjd->bhij", with a letter for each axis.
struct Einsum {
  std::vector<std::string> operands;
  std::string result;
  std::map<char, std::uint64_t> sizes;
};
/// Without a result term: the letters that stand once, in order. nullopt if the letters do not fit
/// the operands.
std::optional<Einsum> read_einsum(std::string equation, const std::vector<Sizes>& operands);

struct EinsumProduct {
  std::uint64_t products = 1;
  std::uint64_t m = 1;
  std::uint64_t n = 1;
  std::uint64_t k = 1;
  /// Axes of each operand that are summed before the product: no other has them.
  std::vector<std::size_t> summed_a = {};
  std::vector<std::size_t> summed_b = {};
};
/// nullopt for other than two operands, and for a repeated letter in a term.
std::optional<EinsumProduct> product_of(const Einsum& einsum);

}  // namespace roofline
