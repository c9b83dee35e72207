#pragma once

#include "roofline/network.hpp"

namespace roofline {

/// Folds, for inference, each batch norm into the contraction before it and takes activations and
/// residual adds into its epilogue, as long as no other layer reads the tensor in between. A fused
/// layer keeps its place and says in `fused_into` where its work went; the contraction reads the
/// other operand of a fused add.
void fuse_epilogues(Network& network);

}  // namespace roofline
