#include "load/shape_reader.hpp"

#include <array>

namespace roofline {
namespace {

std::vector<std::uint64_t> read_sizes(const Value& list) {
  if (!list.is_array() || list.size() == 0)
    list.fail_expected("a list of sizes such as [3, 224, 224]");
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < list.size(); ++i) sizes.push_back(list.at(i).integer(1));
  return sizes;
}

void set_spatial(Shape& shape, const std::uint64_t* first, std::size_t rank) {
  shape.spatial_rank = static_cast<std::uint8_t>(rank);
  for (std::size_t i = 0; i < rank; ++i) shape.spatial[3 - rank + i] = first[i];
}

ReadShape features_last(const Value& list, const std::vector<std::uint64_t>& sizes) {
  if (sizes.size() > 5) list.fail_expected("1 to 5 sizes, [N, positions..., F]");
  ReadShape read;
  read.shape.channels = sizes.back();
  if (sizes.size() == 1) return read;
  read.has_batch = true;
  read.shape.batch = sizes.front();
  set_spatial(read.shape, sizes.data() + 1, sizes.size() - 2);
  return read;
}

std::string expected_shape(std::uint8_t rank) {
  constexpr std::array<const char*, 4> forms{"[C] or [N, C]", "[C, L] or [N, C, L]",
                                             "[C, H, W] or [N, C, H, W]",
                                             "[C, D, H, W] or [N, C, D, H, W]"};
  return std::string("a shape ") + forms[rank];
}

}  // namespace

ReadShape read_shape(const Value& list, std::optional<std::uint8_t> rank, Features features) {
  const std::vector<std::uint64_t> sizes = read_sizes(list);
  if (features == Features::last) return features_last(list, sizes);
  if (!rank) {
    constexpr std::array<std::uint8_t, 6> usual_rank{0, 0, 0, 2, 2, 3};
    if (sizes.size() > 5) list.fail_expected("1 to 5 sizes, [N, C, D, H, W] at most");
    rank = usual_rank[sizes.size()];
  }
  const std::size_t without_batch = std::size_t{*rank} + 1;
  if (sizes.size() != without_batch && sizes.size() != without_batch + 1)
    list.fail_expected(expected_shape(*rank));
  ReadShape read;
  read.has_batch = sizes.size() == without_batch + 1;
  const std::uint64_t* next = sizes.data();
  if (read.has_batch) read.shape.batch = *next++;
  read.shape.channels = *next++;
  set_spatial(read.shape, next, *rank);
  return read;
}

Axes read_axes(const Value& value, std::uint8_t rank, std::uint64_t least, std::uint64_t neutral) {
  Axes axes{neutral, neutral, neutral};
  if (value.is_array() && value.size() != rank)
    value.fail_expected("a number or a list of " + std::to_string(rank));
  for (std::size_t i = 0; i < rank; ++i)
    axes[3U - rank + i] = value.is_array() ? value.at(i).integer(least) : value.integer(least);
  return axes;
}

std::string to_text(const Shape& shape) {
  std::string text = "[" + std::to_string(shape.batch) + ", " + std::to_string(shape.channels);
  for (std::size_t i = 3U - shape.spatial_rank; i < 3; ++i)
    text += ", " + std::to_string(shape.spatial[i]);
  return text + "]";
}

std::string axis_name(std::size_t axis) {
  constexpr std::array<const char*, 3> names{"depth", "height", "width"};
  return names[axis];
}

}  // namespace roofline
