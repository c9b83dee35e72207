#pragma once

// A network as it runs: which layers share a kernel, which kernels a framework adds, which passes
// run, and in which types.

#include <cstddef>
#include <vector>

#include "roofline/context.hpp"
#include "roofline/network.hpp"

namespace roofline {

// PyTorch's autocast (torch.amp): weights are kept in fp32, and each operator runs in a type of its
// own, with the kernels that cast its operands before it and their gradients behind it.
//
//   to the half type  convolutions, linear layers, products, attention, prelu
//   to fp32           softmax, layer, RMS, group and local response norms
//   as they come      everything else, in the widest type of its operands
//
// Source: PyTorch 2.11, "Automatic Mixed Precision package", the lists of CUDA operators; what the
// lists leave out runs as its operands are, batch norms with parameters in fp32.

/// The network in fp32 as it runs under autocast (amp or amp_bf16): its layers in their types and
/// the casts between them, each a layer of its own: "conv1.input to fp16", "conv1.weight to fp16",
/// "conv1.bias to fp16". Layers whose types are stated otherwise stay as they are, and so does a
/// record but for its types. The backward pass of a weight's cast is that of its gradient. Training
/// under amp ends with "gradients.unscale", which divides all gradients by the scale that the loss
/// was multiplied by and looks for overflows among them (GradScaler).
Network autocast(Network network, DataType how);
/// A network that is under autocast already, with the end of its training.
Network with_unscaling(Network network);

/// Whether autocast put the layer in, to cast what no layer of the network computes: its input, or
/// weights.
bool casts_given(const Network& network, const Layer& layer);
bool casts_weights(const Network& network, const Layer& layer);

/// How many operands of other layers each layer's output is; without `in_training` those of layers
/// that run in inference.
std::vector<std::size_t> reader_counts(const Network& network, bool in_training = true);

/// Takes, for inference, batch norms, activations and residual adds into the kernel of the layer
/// before, as long as no other layer reads the tensor in between: into that of another such layer,
/// and an engine (epilogue) into that of a contraction. An engine's layers write their share of a
/// concatenation in place where nothing else reads them. A fused layer keeps its place and says in
/// `fused_into` where its work went; its host reads the other operand of a fused add.
void fuse(Network& network, FusionKind kind);

/// PyTorch's inductor puts a concatenation of no more operands into the kernel that reads it
/// (`MAX_COMPLEX_POINTWISE_CAT` of its lowering).
constexpr std::size_t most_operands_read_in_place = 8;

/// The same for a compiler that has every operator of the network (Layer::generated).
void fuse_compiled(Network& network);

/// The network as it runs under these options.
Network as_run(Network network, const AnalysisOptions& options);

/// Makes one attention of what exporters write out: a product of queries and keys, scaled or not;
/// its softmax; that one's product with the values. The first product becomes the attention and the
/// others are fused into it, where nothing else reads what is between them. Where something is
/// added to the scores (the position bias of windows), models have the products themselves.
void fuse_attention(Network& network);

/// The network with the kernels that PyTorch runs beside those of its layers (Layer::is_inserted):
///
///   conv1.bias           adds the bias to the whole output of a convolution, which cuDNN leaves
///   out conv1.bias gradient  in training sums the gradient of the output up, of linear layers too
///   relu.gradient sum    in training adds the gradients of a tensor that two layers read
///   bn1.counter          in training counts a batch norm's batches
///
/// Products take their bias in their epilogue.
Network with_eager_kernels(Network network);

/// The passes in which layer `index` of the network runs, in order. The one that it states, or
/// in inference the one that is asked for, none for layers of training alone. Training: forward,
/// data gradient (not for the first layer of a network: nobody needs the gradient of its input) and
/// weight gradient. A kernel of the run alone (Layer::is_inserted) has no gradient.
std::vector<Pass> passes_of(const Network& network, std::size_t index, bool training);
/// Whether it is a batch norm that works out the statistics of its batch. One that states its pass
/// says that as well.
inline bool takes_batch_statistics(const Layer& layer, bool training) {
  const bool is_trained = training && !layer.states_pass;
  return layer.batch_statistics || (is_trained && layer.kind == LayerKind::batch_norm);
}

}  // namespace roofline
