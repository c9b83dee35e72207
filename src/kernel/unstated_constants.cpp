// What a constant is where no file states it. Only constants that measured layers tell apart are
// stated; each of the others is what it is like, or leaves its formula in the simplest form.

#include <optional>
#include <vector>

#include "kernel/constant_fields.hpp"

namespace roofline {
namespace {

struct Likeness {
  std::string_view part;  ///< of a constant's path
  std::string_view like;  ///< in place of it
};

/// In the order in which they apply, the first that fits.
constexpr Likeness likenesses[] = {
    {"dense/tf32/", "dense/tensor/"},
    {"dense/vector/gather_per_clk_per_sm", "dense/tensor/gather_per_clk_per_sm"},
    {"dense/vector/transpose_per_clk_per_sm", "dense/tensor/transpose_per_clk_per_sm"},
    {"attention/backward/", "attention/forward/"},
    {"vectorized_several/", "vectorized/"},
    {"permuted/", "broadcast/"},
    {"transposed/", "permuted/"},
    {"max_backward_nchw/", "max_nchw/"},
    {"strided_wgrad_32bit", "strided_wgrad_16bit"},
    {"slice_element_clock", "repack_element_clock"},
    {"/dgrad/", "/fwd/"},
    {"/wgrad/", "/fwd/"},
};

/// The index of the constant that each one is like; none where there is none.
std::vector<std::optional<std::size_t>> find_likes() {
  const ConstantPaths& paths = constant_paths();
  const auto like = [&](const std::string& path) -> std::optional<std::size_t> {
    for (const Likeness& likeness : likenesses)
      if (const std::size_t at = path.find(likeness.part); at != path.npos)
        return paths.index.at(std::string(path).replace(at, likeness.part.size(), likeness.like));
    return std::nullopt;
  };
  std::vector<std::optional<std::size_t>> likes;
  for (const std::string& path : paths.all) likes.push_back(like(path));
  return likes;
}

}  // namespace

std::optional<std::size_t> complete(ModelConstants& constants) {
  static const std::vector<std::optional<std::size_t>> likes = find_likes();
  const auto all = constants_of(constants.values);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ConstantNote& note = constants.notes[i];
    if (note.stated) continue;
    std::size_t source = i;
    while (!constants.notes[source].stated && likes[source]) source = *likes[source];
    if (constants.notes[source].stated) {
      *all[i].value = *all[source].value;
      note.origin = constants.notes[source].origin;
    } else if (all[i].unit->simplest) {
      *all[i].value = *all[i].unit->simplest;
      note.origin =
          add_origin(constants, "the simplest form: measured layers tell it from no other");
    } else {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace roofline
