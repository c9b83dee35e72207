#include "model/infer/axes.hpp"

#include <array>

#include "model/infer/field_failure.hpp"

namespace roofline {
namespace {

[[noreturn]] void fail_shape(std::string_view field, const std::vector<std::size_t>& index,
                             const std::string& expected, const std::vector<std::uint64_t>& sizes) {
  fail(field, "expected " + expected + ", got " + list_text(sizes), index);
}

void set_spatial(Shape& shape, const std::uint64_t* first, std::size_t rank) {
  shape.spatial_rank = static_cast<std::uint8_t>(rank);
  for (std::size_t i = 0; i < rank; ++i) shape.spatial[3 - rank + i] = first[i];
}

StatedShape features_last(const std::vector<std::uint64_t>& sizes) {
  StatedShape stated;
  stated.shape.channels = sizes.back();
  if (sizes.size() == 1) return stated;
  stated.has_batch = true;
  stated.shape.batch = sizes.front();
  set_spatial(stated.shape, sizes.data() + 1, sizes.size() - 2);
  return stated;
}

std::string expected_shape(std::uint8_t rank) {
  constexpr std::array<const char*, 4> forms{"[C] or [N, C]", "[C, L] or [N, C, L]",
                                             "[C, H, W] or [N, C, H, W]",
                                             "[C, D, H, W] or [N, C, D, H, W]"};
  return std::string("a shape ") + forms[rank];
}

/// The spatial axes of a list whose layer does not fix them.
std::uint8_t usual_rank(std::size_t size, bool whole) {
  constexpr std::array<std::uint8_t, 6> with_or_without_batch{0, 0, 0, 2, 2, 3};
  constexpr std::array<std::uint8_t, 6> with_batch{0, 0, 0, 1, 2, 3};
  return whole ? with_batch[size] : with_or_without_batch[size];
}

}  // namespace

StatedShape read_shape(const std::vector<std::uint64_t>& sizes, const ShapeForm& form,
                       std::string_view field, const std::vector<std::size_t>& index) {
  if (sizes.empty()) fail_shape(field, index, "a list of sizes such as [3, 224, 224]", sizes);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] == 0) {
      std::vector<std::size_t> place = index;
      place.push_back(i);
      fail(field, "expected an integer >= 1, got 0", place);
    }
  const bool last = form.features == Features::last;
  if (sizes.size() > 5)
    fail_shape(
        field, index,
        last ? "1 to 5 sizes, [N, positions..., F]" : "1 to 5 sizes, [N, C, D, H, W] at most",
        sizes);
  if (last) return features_last(sizes);
  const std::uint8_t rank = form.rank.value_or(usual_rank(sizes.size(), form.whole));
  const std::size_t without_batch = std::size_t{rank} + 1;
  const bool has_batch = sizes.size() == without_batch + 1;
  if (!has_batch && sizes.size() != without_batch)
    fail_shape(field, index, expected_shape(rank), sizes);
  StatedShape stated;
  stated.has_batch = has_batch;
  const std::uint64_t* next = sizes.data();
  if (has_batch) stated.shape.batch = *next++;
  stated.shape.channels = *next++;
  set_spatial(stated.shape, next, rank);
  return stated;
}

std::optional<Axes> read_axes(const AxesSpec& spec, std::uint8_t rank, const AxesFields& fields,
                              std::uint64_t neutral) {
  if (!spec.numbers.empty() && (spec.height || spec.width))
    fail_twice(fields.all, spec.height ? fields.height : fields.width);
  Axes axes{neutral, neutral, neutral};
  if (!spec.numbers.empty()) {
    if ((spec.is_list || spec.numbers.size() > 1) && spec.numbers.size() != rank)
      fail(fields.all, "expected a number or a list of " + std::to_string(rank) + ", got " +
                           list_text(spec.numbers));
    for (std::size_t i = 0; i < rank; ++i)
      axes[3U - rank + i] = spec.numbers[spec.numbers.size() == 1 ? 0 : i];
    return axes;
  }
  if (!spec.height && !spec.width) return std::nullopt;
  if (rank == 3)
    fail(spec.height ? fields.height : fields.width,
         "expected " + std::string(fields.all) + ": [d, h, w] for a 3-D layer");
  if (rank == 1 && spec.height) fail(fields.height, "expected only the width of a 1-D layer");
  if (spec.height) axes[1] = *spec.height;
  if (spec.width) axes[2] = *spec.width;
  return axes;
}

std::string to_text(const Shape& shape) {
  std::string text = "[" + std::to_string(shape.batch) + ", " + std::to_string(shape.channels);
  for (std::size_t i = 3U - shape.spatial_rank; i < 3; ++i)
    text += ", " + std::to_string(shape.spatial[i]);
  return text + "]";
}

std::string list_text(const std::vector<std::uint64_t>& sizes) {
  constexpr std::size_t longest = 60;
  std::string text;
  for (const std::uint64_t size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size);
  if (text.size() + 2 > longest) return "an array of " + std::to_string(sizes.size());
  return "[" + text + "]";
}

std::string axis_name(std::size_t axis) {
  constexpr std::array<const char*, 3> names{"depth", "height", "width"};
  return names[axis];
}

}  // namespace roofline
