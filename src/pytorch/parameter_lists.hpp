#pragma once

// Lists of tensors, as optimizers take them, are too long for a trace to hold their shapes. The
// kernels that work on them run a block for every chunk of a tensor, so the number of blocks tells
// the elements, given how many elements the parameters have for each of their chunks.

#include <cstdint>
#include <optional>

#include "pytorch/operator_arguments.hpp"

namespace roofline {

class ParameterLists {
 public:
  /// A parameter whose gradient was accumulated.
  void add_parameter(const Sizes& sizes);
  /// Elements of the tensors that kernels of so many blocks worked on; none without parameters.
  std::optional<std::uint64_t> elements(std::uint64_t blocks) const;

 private:
  double elements_ = 0;
  double chunks_ = 0;
};

}  // namespace roofline
