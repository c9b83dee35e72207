#include "load/shape_parts.hpp"

#include <limits>
#include <utility>

namespace roofline {

std::uint64_t element_count(const Sizes& sizes) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t count = 1;
  for (const std::uint64_t size : sizes) {
    if (size != 0 && count > most / size) return most;
    count *= size;
  }
  return count;
}

std::string sizes_text(const Sizes& sizes) {
  std::string text;
  for (const std::uint64_t size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

OperandSpec whole_operand(const Sizes& sizes) {
  OperandSpec operand;
  if (element_count(sizes) == 0) return operand;
  operand.whole = true;
  operand.sizes = sizes;
  while (operand.sizes.size() < fewest_operand_sizes)
    operand.sizes.insert(operand.sizes.begin(), 1);
  while (operand.sizes.size() > most_operand_sizes) {
    operand.sizes[1] *= operand.sizes[0];
    operand.sizes.erase(operand.sizes.begin());
  }
  return operand;
}

AxesSpec axes_of(Sizes numbers) {
  AxesSpec axes;
  axes.is_list = numbers.size() > 1;
  axes.numbers = std::move(numbers);
  return axes;
}

}  // namespace roofline
