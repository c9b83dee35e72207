#include "load/cuda_launch.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "model/text.hpp"

namespace roofline {
namespace {

/// The whole numbers that a value holds: of 16, [16, 16], "16x16" or {"x": 16, "y": 16}.
std::vector<std::uint64_t> whole_numbers_in(const Value& value) {
  constexpr std::size_t most_digits = 6;
  std::vector<std::uint64_t> numbers;
  std::string digits;
  for (const char c : value.json() + ' ') {
    if (c >= '0' && c <= '9') {
      digits += c;
    } else if (!digits.empty()) {
      if (digits.size() > most_digits) return {};
      numbers.push_back(std::stoull(std::exchange(digits, {})));
    }
  }
  return numbers;
}

}  // namespace

std::array<std::uint64_t, 3> tile_of(std::uint64_t rows, std::uint64_t columns) {
  return {rows, columns, std::min(rows, columns)};
}

bool CudaLaunch::takes(const Value& member) {
  const std::string name = lower_case(member.key());
  const auto is_of = [&](std::string_view word) { return name.find(word) != name.npos; };
  if (is_of("grid")) return true;
  if (!is_of("tile") && !is_of("block") && name != "threads") return false;
  (is_of("tile") ? tile_ : block_) = whole_numbers_in(member);
  return true;
}

std::string CudaLaunch::mapping() const {
  const std::vector<std::uint64_t>& stated = tile_.empty() && block_.size() > 1 ? block_ : tile_;
  std::string text;
  if (!stated.empty()) {
    std::array<std::uint64_t, 3> tile = tile_of(stated.front(), stated[stated.size() > 1 ? 1 : 0]);
    if (tile_.size() > 2) tile[2] = tile_[2];
    text = concat("\"tile\": [", tile[0], ", ", tile[1], ", ", tile[2], "]");
  }
  if (!block_.empty()) {
    std::uint64_t threads = 1;
    for (const std::uint64_t axis : block_) threads *= axis;
    add_item(text, concat("\"threads\": ", threads));
  }
  return text.empty() ? text : "\"kernel\": {" + text + "}";
}

}  // namespace roofline
