#pragma once

#include "roofline/context.hpp"
#include "roofline/network.hpp"

namespace roofline {

/// Takes, for inference, batch norms, activations and residual adds into the kernel of the layer
/// before, as long as no other layer reads the tensor in between: into that of another such layer,
/// and an engine (epilogue) into that of a contraction. An engine's layers write their share of a
/// concatenation in place where nothing else reads them. A fused layer keeps its place and says in
/// `fused_into` where its work went; its host reads the other operand of a fused add.
void fuse(Network& network, FusionKind kind);

/// The network as it runs under these options.
Network as_run(Network network, const AnalysisOptions& options);

}  // namespace roofline
