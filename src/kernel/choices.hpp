#pragma once

// A library's choice of kernels as data: a row of configs/kernels names a kernel, the layers that
// it takes, its library with the first and the last release, and the evidence.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "roofline/enumeration.hpp"
#include "roofline/layer.hpp"
#include "roofline/library.hpp"

namespace roofline {

struct Problem;

/// Kernels whose layers rows of a file choose. The formulas have the time of each.
enum class LibraryKernel : std::uint8_t {
  places_wgrad,       ///< depthwise volumes, from place to place
  depthwise_tiled,    ///< NHWC, small square windows
  depthwise_wide,     ///< the same in larger tiles
  depthwise_untiled,  ///< NHWC, data gradient
  depthwise_general,  ///< NHWC, any window
  depthwise_small,    ///< NCHW: lines and small squares
  depthwise_line,     ///< NCHW: weight gradients of lines
  framework_fwd,      ///< NCHW: the framework's own kernels
  framework_dgrad,
  framework_wgrad,
  general,           ///< any window, any group
  packed,            ///< groups in tiles of tensor cores
  repacked,          ///< the same, between copies that widen groups
  each_group,        ///< NHWC: a product for each group
  each_group_long,   ///< the same over long windows
  each_group_whole,  ///< the same where they lie
  batched,           ///< all groups in one launch
  each_group_nchw,
  each_group_small_nchw,
  each_group_winograd,
  each_group_scattered,  ///< data gradients by atomics (cuDNN's algorithm 0)
  each_group_streams,    ///< on tensor cores, a product for each group, side by side
  each_group_vector,     ///< the same on vector units, without copies
  layout_copy,           ///< no kernel of this layout: copies to the other one and back
  group_copy,            ///< copies each group's channels out and in
  folded,                ///< one group: windows that meet nowhere become channels, between copies
  vector_fallback,       ///< of the heuristic, as all below: one group, on vector units
  vector_direct,         ///< the same in small tiles of tensors as they lie
  image_scatter,         ///< on vector units, image by image; results are added by atomics
  image_scatter_wide,    ///< the same in larger tiles
  index_table,           ///< a kernel before the product lists the places of an image
  half_scatter,          ///< on vector units, each product is added to a result of 16 bits
};

/// What a layer is, in rows.
enum class ChoiceWord : std::uint8_t {
  fwd,
  dgrad,
  wgrad,
  nhwc,
  nchw,
  fp16,
  tensor_cores,    ///< asked for
  heuristic,       ///< the library's own choice, not the fastest
  line,            ///< one axis, or an image of one row
  square,          ///< a window as wide as high
  tiling_window,   ///< as large as its strides
  odd_window,      ///< in columns
  even_strides,    ///< the same along rows and columns
  equal_channels,  ///< as many into a group as out of it
  power_of_two,    ///< channels into a group
  whole_vectors,   ///< a group's channels fill pieces of 16 byte on both sides
  whole_sixteens,  ///< a multiple of 16 channels out of a group
  groups_of_four,  ///< groups are a multiple of 4
  transposed,      ///< a transposed convolution, which frameworks leave to the library
};

/// What rows bound.
enum class ChoiceSize : std::uint8_t {
  bits,  ///< of an element
  axes,
  batch,
  groups,
  in,  ///< channels of a group
  out,
  narrower,  ///< the smaller of both
  wider,
  width,   ///< of the input, in columns
  window,  ///< in columns
  taps,
  taps_in,  ///< taps x channels into a group
  stride,   ///< product over the axes
  column_stride,
  dilation,   ///< the largest
  positions,  ///< results of a channel, over all images
  results,
  image,          ///< positions of an image
  results_image,  ///< the same of its result
  in_positions,   ///< of all images
};

/// A convolution's facts, before a kernel is chosen.
struct ChoiceFacts {
  std::uint64_t words = 0;  ///< bits of ChoiceWord, then those of the cases that hold
  EnumArray<ChoiceSize, double> sizes{};

  void set(ChoiceWord word, bool holds) {
    const std::uint64_t bit = std::uint64_t{1} << index_of(word);
    words = holds ? words | bit : words & ~bit;
  }
};

struct ChoiceRange {
  std::uint32_t size = 0;  ///< a ChoiceSize
  std::uint32_t least = 0;
  std::uint32_t most = unbounded;

  static constexpr std::uint32_t unbounded = UINT32_MAX;
};

/// Whether a release lies in a row's; a limit of 0.0 is none.
constexpr bool holds_in(const Release& release, const Release& since, const Release& until) {
  return release >= since && (!until.is_stated() || release <= until);
}

/// A kernel and layers that it takes, or a part of a case: layers that other rows refer to. Its
/// bytes are its value, without padding: a start copies all rows at once.
struct ChoiceRow {
  static constexpr std::size_t most_ranges = 8;

  std::uint64_t is = 0;  ///< bits as in ChoiceFacts
  std::uint64_t is_not = 0;
  std::uint64_t layers = 0;  ///< that bear it out
  std::uint32_t origin = 0;  ///< index in ModelConstants::origins
  std::uint32_t gpu = 0;     ///< on which it was seen, an index there too
  std::array<ChoiceRange, most_ranges> ranges{};
  Release since;              ///< first release that has it; 0.0: unknown
  Release until;              ///< last one
  std::uint16_t defines = 0;  ///< of a case: its index
  LibraryKernel kernel = LibraryKernel::general;
  KernelLibrary library = KernelLibrary::cudnn;
  bool is_case = false;
  bool is_alone = false;           ///< where it takes a layer, no later one does
  bool stands_for_others = false;  ///< the like of it is assumed of other libraries
  std::uint8_t range_count = 0;

  bool is_in(const LibraryRelease& used) const {
    if (library != used.library) return library == KernelLibrary::pytorch || stands_for_others;
    return holds_in(used.release, since, until);
  }
  bool takes(const ChoiceFacts& facts) const {
    if ((facts.words & is) != is || (facts.words & is_not) != 0) return false;
    for (std::size_t i = 0; i < range_count; ++i) {
      const ChoiceRange& range = ranges[i];
      const double size = facts.sizes.at(range.size);
      if (size < range.least || (range.most != ChoiceRange::unbounded && size > range.most))
        return false;
    }
    return true;
  }
};

/// A set's rows in order. Cases stand before the rows that refer to them, copies before kernels.
struct LibraryChoices {
  LibraryRelease library;  ///< the newest release that data shows for the architecture
  std::vector<std::string> cases;
  std::vector<ChoiceRow> rows;
};

/// The bit of a case.
constexpr std::uint64_t case_bit(std::size_t index) {
  return std::uint64_t{1} << (count_of<ChoiceWord> + index);
}

inline constexpr std::size_t most_cases = 64 - count_of<ChoiceWord>;

/// In this layout. `on_tensor_cores`: they were asked for.
ChoiceFacts choice_facts(const Problem& problem, bool nhwc, bool on_tensor_cores);

/// Calls `take(row)` for each kernel's row that takes the layer, in order, until it returns true.
template <class Take>
void for_rows(const LibraryChoices& choices, const LibraryRelease& used, ChoiceFacts facts,
              const Take& take) {
  for (const ChoiceRow& row : choices.rows) {
    if (!row.takes(facts) || !row.is_in(used)) continue;
    if (row.is_case)
      facts.words |= case_bit(row.defines);
    else if (take(row) || row.is_alone)
      return;
  }
}

/// Whether a row of this kernel takes the layer.
bool has_row(const LibraryChoices& choices, const LibraryRelease& used, LibraryKernel kernel,
             const ChoiceFacts& facts);

}  // namespace roofline
