#pragma once

// Operators as layers: how operands broadcast, Einsum as a product, attention's heads.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "load/recording.hpp"

namespace roofline {

/// NumPy's rule; nullopt for sizes that contradict. `AnySizes`: a vector of sizes.
template <class AnySizes>
std::optional<AnySizes> broadcast(const std::vector<const AnySizes*>& operands) {
  AnySizes out;
  for (const AnySizes* each : operands) {
    if (each->size() > out.size()) out.insert(out.begin(), each->size() - out.size(), 1);
    for (std::size_t i = 0; i < each->size(); ++i) {
      auto& size = out[out.size() - each->size() + i];
      if (size != (*each)[i] && size != 1 && (*each)[i] != 1) return std::nullopt;
      if (size == 1) size = (*each)[i];
    }
  }
  return out;
}

/// Negative axes count from the back; nullopt if out of range.
std::optional<std::size_t> axis_at(std::optional<std::int64_t> axis, std::size_t rank);

/// "[2, -1]"
std::string integers_text(const std::vector<std::int64_t>& numbers);

/// The operands' sizes with one rank, at most a layer's: neighbouring axes are joined if each
/// operand has both or repeats both. nullopt if more are left.
std::optional<std::vector<Sizes>> in_one_rank(std::vector<Sizes> operands);

/// Forgets types of operands that are the layer's.
void drop_usual_types(LayerSpec& spec);

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

/// Queries, keys or values [..., length, features] as [N, heads, length, features]; one head for a
/// tensor of three axes. nullopt for fewer than two axes.
std::optional<Sizes> as_heads(const Sizes& sizes);

/// Marks attention causal. With a past, queries are the last positions; else the first.
void set_causal(LayerSpec& spec, bool has_past);

}  // namespace roofline
