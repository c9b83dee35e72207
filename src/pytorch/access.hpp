#pragma once

// How the tensors of an operator that works element by element lie to each other in memory.

#include <optional>
#include <vector>

#include "pytorch/operator_arguments.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// The kernel goes in the order of the first tensor's memory: that of the result, or of the operand
/// whose order the result takes. None where they lie alike without gaps, as most do, and where the
/// trace has no strides or the sizes differ.
std::optional<Access> access_of(const std::vector<const TensorArgument*>& tensors);

}  // namespace roofline
