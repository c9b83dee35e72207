#include "operators/operands.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/layer_fields.hpp"
#include "model/sizes.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

bool may_join(const std::vector<Sizes>& operands, std::size_t axis, const Sizes& result) {
  return std::ranges::all_of(operands, [&](const Sizes& sizes) {
    const bool has_both = sizes[axis] == result[axis] && sizes[axis + 1] == result[axis + 1];
    return has_both || (sizes[axis] == 1 && sizes[axis + 1] == 1);
  });
}

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

std::optional<std::size_t> axis_at(std::optional<std::int64_t> axis, std::size_t rank) {
  if (!axis) return std::nullopt;
  const auto count = static_cast<std::int64_t>(rank);
  const std::int64_t at = *axis < 0 ? *axis + count : *axis;
  return at >= 0 && at < count ? std::optional(static_cast<std::size_t>(at)) : std::nullopt;
}

std::string integers_text(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) add_item(text, std::to_string(number));
  return "[" + text + "]";
}

std::optional<std::vector<Sizes>> in_one_rank(std::vector<Sizes> operands) {
  std::size_t rank = fewest_operand_sizes;
  for (const Sizes& sizes : operands) rank = std::max(rank, sizes.size());
  const bool is_one_rank =
      std::ranges::all_of(operands, [&](const Sizes& sizes) { return sizes.size() == rank; });
  if (is_one_rank && rank <= most_operand_sizes) return operands;
  Sizes result(rank, 1);
  for (Sizes& sizes : operands) {
    sizes.insert(sizes.begin(), rank - sizes.size(), 1);
    for (std::size_t axis = 0; axis < rank; ++axis)
      result[axis] = std::max(result[axis], sizes[axis]);
  }
  for (std::size_t axis = 0; result.size() > most_operand_sizes;) {
    if (axis + 1 == result.size()) return std::nullopt;
    if (!may_join(operands, axis, result)) {
      ++axis;
      continue;
    }
    const auto join = [&](Sizes& sizes) {
      sizes[axis] *= sizes[axis + 1];
      sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
    };
    join(result);
    for (Sizes& sizes : operands) join(sizes);
  }
  return operands;
}

void drop_usual_types(LayerSpec& spec) {
  for (OperandSpec* operand : operands_of(spec)) {
    const bool is_weight = operand->is_parameter && spec.dtypes.weight;
    if (operand->type == (is_weight ? spec.dtypes.weight : spec.dtypes.input))
      operand->type.reset();
  }
}

std::optional<Einsum> read_einsum(std::string equation, const std::vector<Sizes>& operands) {
  std::erase(equation, ' ');
  const std::size_t arrow = std::min(equation.find("->"), equation.size());
  std::string_view terms = std::string_view(equation).substr(0, arrow);
  Einsum einsum{
      {}, arrow < equation.size() ? equation.substr(arrow + 2) : implicit_result(terms), {}};
  std::size_t most_points = 0;
  for (const Sizes& sizes : operands) {
    std::string& letters = einsum.operands.emplace_back(take(terms, ','));
    const std::size_t named = letters.size() - (contains(letters, '.') ? 3 : 0);
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
    const bool in_a = contains(einsum.operands[0], letter);
    const bool in_b = contains(einsum.operands[1], letter);
    const bool is_summed = !contains(einsum.result, letter);
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

std::optional<Sizes> as_heads(const Sizes& sizes) {
  constexpr std::size_t axes = 4;
  if (sizes.size() < 2) return std::nullopt;
  Sizes out = sizes;
  while (out.size() < axes) out.insert(out.end() - 2, 1);
  while (out.size() > axes) {
    out[1] *= out[0];
    out.erase(out.begin());
  }
  return out;
}

void set_causal(LayerSpec& spec, bool has_past) {
  constexpr std::size_t length = 2;
  spec.causal = true;
  spec.causal_from_first =
      !has_past && spec.inputs[0].sizes[length] != spec.inputs[1].sizes[length];
}

}  // namespace roofline
