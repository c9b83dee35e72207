#pragma once

#include "roofline/context.hpp"
#include "roofline/network.hpp"

namespace roofline {

/// Takes, for inference, batch norms, activations and residual adds into the kernel of the layer
/// before, as long as no other layer reads the tensor in between: an engine (epilogue) into that of
/// a contraction, a compiler (pointwise) into that of another such layer. A fused layer keeps its
/// place and says in `fused_into` where its work went; its host reads the other operand of a fused
/// add.
void fuse(Network& network, FusionKind kind);

}  // namespace roofline
