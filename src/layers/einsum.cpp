#include "layers/einsum.hpp"

#include <algorithm>

#include "model/sizes.hpp"

namespace roofline {
namespace {

/// Digits in place of "...", counted from the last axis, as operands broadcast.
void replace_points(std::string& letters, std::size_t axes) {
  constexpr std::string_view points = "...";
  const std::size_t at = letters.find(points);
  if (at == letters.npos) return;
  std::string digits;
  for (std::size_t i = std::min<std::size_t>(axes, 9); i > 0; --i)
    digits += static_cast<char>('0' + i);
  letters.replace(at, points.size(), digits);
}

bool has(const std::string& letters, char letter) { return letters.find(letter) != letters.npos; }

bool has_repeated(const std::string& letters) {
  return std::ranges::any_of(letters,
                             [&](char letter) { return std::ranges::count(letters, letter) > 1; });
}

std::string implicit_result(std::string_view terms) {
  std::string letters;
  for (const char letter : terms)
    if (std::ranges::count(terms, letter) == 1) letters += letter;
  std::ranges::sort(letters);
  std::erase(letters, ',');
  return (terms.find('.') != terms.npos ? "..." : "") + letters;
}

}  // namespace

std::optional<Einsum> read_einsum(std::string equation, const std::vector<Sizes>& operands) {
  std::erase(equation, ' ');
  const std::size_t arrow = std::min(equation.find("->"), equation.size());
  std::string_view terms = std::string_view(equation).substr(0, arrow);
  Einsum einsum{
      {}, arrow < equation.size() ? equation.substr(arrow + 2) : implicit_result(terms), {}};
  std::size_t most_points = 0;
  for (const Sizes& sizes : operands) {
    std::string& letters = einsum.operands.emplace_back(take(terms, ','));
    const std::size_t named = letters.size() - (has(letters, '.') ? 3 : 0);
    const std::size_t points = sizes.size() - std::min(sizes.size(), named);
    most_points = std::max(most_points, points);
    replace_points(letters, points);
    if (letters.size() != sizes.size()) return std::nullopt;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      std::uint64_t& size = einsum.sizes.try_emplace(letters[axis], 1).first->second;
      if (size != 1 && sizes[axis] != 1 && size != sizes[axis]) return std::nullopt;
      if (size == 1) size = sizes[axis];
    }
  }
  replace_points(einsum.result, most_points);
  const bool is_known = std::ranges::all_of(
      einsum.result, [&](char letter) { return einsum.sizes.contains(letter); });
  return terms.empty() && is_known ? std::optional(std::move(einsum)) : std::nullopt;
}

std::optional<EinsumProduct> product_of(const Einsum& einsum) {
  if (einsum.operands.size() != 2 || has_repeated(einsum.operands[0]) ||
      has_repeated(einsum.operands[1]) || has_repeated(einsum.result))
    return std::nullopt;
  EinsumProduct product;
  for (const auto& [letter, size] : einsum.sizes) {
    const bool in_a = has(einsum.operands[0], letter);
    const bool in_b = has(einsum.operands[1], letter);
    const bool is_summed = !has(einsum.result, letter);
    if (is_summed && in_a != in_b) {
      if (size > 1)
        (in_a ? product.summed_a : product.summed_b)
            .push_back(einsum.operands[in_a ? 0 : 1].find(letter));
      continue;
    }
    std::uint64_t& axis = is_summed      ? product.k
                          : in_a && in_b ? product.products
                          : in_a         ? product.m
                                         : product.n;
    axis = checked_mul(axis, size);
  }
  return product;
}

}  // namespace roofline
