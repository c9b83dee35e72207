#pragma once

// A network as it runs: which layers share a kernel, which kernels a framework adds, which passes
// run.

#include <vector>

#include "roofline/context.hpp"
#include "roofline/network.hpp"

namespace roofline {

/// How many operands of other layers each layer's output is.
std::vector<std::size_t> reader_counts(const Network& network);

/// Takes, for inference, batch norms, activations and residual adds into the kernel of the layer
/// before, as long as no other layer reads the tensor in between: into that of another such layer,
/// and an engine (epilogue) into that of a contraction. An engine's layers write their share of a
/// concatenation in place where nothing else reads them. A fused layer keeps its place and says in
/// `fused_into` where its work went; its host reads the other operand of a fused add.
void fuse(Network& network, FusionKind kind);

/// The network as it runs under these options.
Network as_run(Network network, const AnalysisOptions& options);

/// Makes one attention of what exporters write out: a product of queries and keys, scaled or not;
/// its softmax; that one's product with the values. The first product becomes the attention and the
/// others are fused into it, where nothing else reads what is between them. Where something is
/// added to the scores (the position bias of windows), models have the products themselves.
void fuse_attention(Network& network);

/// The network with the kernels that PyTorch runs beside those of its layers (Layer::of_run):
///
///   conv1.bias           adds the bias to the whole output of a convolution, which cuDNN leaves
///   out conv1.bias gradient  in training sums the gradient of the output up, of linear layers too
///   relu.gradient sum    in training adds the gradients of a tensor that two layers read
///   bn1.counter          in training counts a batch norm's batches
///
/// Products take their bias in their epilogue.
Network with_eager_kernels(const Network& network);

/// The passes in which layer `index` of the network runs, in order. Inference: the layer's own
/// pass, none for layers of training alone. Training: forward, data gradient (not for the first
/// layer of a network: nobody needs the gradient of its input) and weight gradient. A kernel of the
/// run alone (Layer::of_run) has no gradient.
std::vector<Pass> passes_of(const Network& network, std::size_t index, bool training);

}  // namespace roofline
