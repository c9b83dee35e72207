#pragma once

// Tensors of an exported program: how views of them lie in memory, and which of their axes grow
// with the batch.

#include <cstdint>
#include <optional>
#include <vector>

#include "pytorch/operator_call.hpp"

namespace roofline {

Sizes contiguous_strides(const Sizes& sizes);
/// Of an image [N, C, positions...].
Sizes channels_last_strides(const Sizes& sizes);
/// Whether the elements lie so; strides of axes of one element say nothing.
bool has_strides(const TensorArgument& tensor, const Sizes& strides);

/// From the batch that a program states to the one that is asked for.
struct BatchChange {
  std::uint64_t stated = 1;
  std::uint64_t wanted = 1;

  bool is_none() const { return stated == wanted; }
  /// Works out the tensor's sizes from those stated; false where an axis does not divide.
  bool grow(TensorArgument& tensor) const;
};

/// An axis of a view: the one of the tensor, none for a new axis of that many equal elements.
struct ViewAxis {
  std::optional<std::size_t> from;
  std::uint64_t stated = 1;
  std::uint64_t step = 1;  ///< every so many elements
};
using ViewAxes = std::vector<ViewAxis>;

/// None where the batch cannot be followed.
std::optional<TensorArgument> view_of(const TensorArgument& tensor, const ViewAxes& axes,
                                      const BatchChange& batch);

/// The tensor's elements in their order under other sizes. `copied`: set where they lie so that no
/// view has these sizes. None where the batch cannot be followed.
std::optional<TensorArgument> reshaped(const TensorArgument& tensor, const Sizes& stated,
                                       const BatchChange& batch, bool& copied);

}  // namespace roofline
