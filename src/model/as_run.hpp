#pragma once

// A network as it runs: layers in shared kernels, kernels added by a framework, passes and types.

#include <cstddef>
#include <vector>

#include "roofline/context.hpp"
#include "roofline/network.hpp"

namespace roofline {

// PyTorch's autocast (torch.amp) keeps weights in fp32 and runs each operator in its own type
// (AutocastPolicy), with casts of operands before it and of gradients after it.
//
// Source: PyTorch 2.11, "Automatic Mixed Precision package", the lists of CUDA operators; operators
// outside the lists run in their operands' types, batch norms with parameters in fp32.

/// A network in fp32 as it runs under autocast (amp or amp_bf16): layers in their types, and casts
/// as layers: "conv1.input to fp16", "conv1.weight to fp16", "conv1.bias to fp16". Layers with
/// other stated types stay unchanged; a record changes only its types. The backward pass of a
/// weight's cast is that of its gradient. Training under amp ends with "gradients.unscale", which
/// divides all gradients by the loss scale and looks for overflows (GradScaler).
Network autocast(Network network, DataType how);
/// Adds the end of training to a network already under autocast.
Network with_unscaling(Network network);

/// Whether autocast added the layer to cast the network's input or weights.
bool casts_given(const Network& network, const Layer& layer);
bool casts_weights(const Network& network, const Layer& layer);

/// Number of layers that read each layer's output. Without `in_training`, layers of training alone
/// do not count.
std::vector<std::size_t> reader_counts(const Network& network, bool in_training = true);

/// Fuses all layers but contractions and attention into the kernels of a compiler
/// (Layer::generated), for inference. PyTorch's compiler writes out masked attention too.
void fuse_compiled(Network& network, bool by_pytorch);

/// The network under the options' fusion. An engine (FusionKind::epilogue) fuses batch norms,
/// activations and residual adds into the kernel of the preceding contraction, or of another such
/// layer, if no other layer reads the tensor in between; its layers write their share of a
/// concatenation in place if it has no other readers. A fused layer keeps its place and names its
/// host in `fused_into`; the host reads the other operand of a fused add.
Network as_run(Network network, const AnalysisOptions& options);

/// Adds the kernels which PyTorch runs beside those of its layers (Layer::is_inserted):
///
///   conv1.bias           adds the bias to a convolution's output, as cuDNN does not
///   conv1.bias gradient  in training sums the output's gradient, also for linear layers
///   relu.gradient sum    in training adds the gradients of a tensor with two readers
///   bn1.counter          in training counts a batch norm's batches
///
/// Products add their bias in the epilogue.
Network with_eager_kernels(Network network);

/// The passes of layer `index`, in order. Inference: the stated or requested pass, none for
/// training-only layers. Training: forward, data gradient (except for the first layer, whose input
/// needs none) and weight gradient. Inserted layers have no gradient.
std::vector<Pass> passes_of(const Network& network, std::size_t index, bool training);
/// A layer with a stated pass also states whether it uses its batch's statistics.
inline bool takes_batch_statistics(const Layer& layer, bool training) {
  const bool is_trained = training && !layer.states_pass;
  return layer.batch_statistics || (is_trained && layer.kind == LayerKind::batch_norm);
}

}  // namespace roofline
