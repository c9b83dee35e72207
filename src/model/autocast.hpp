#pragma once

// PyTorch's autocast (torch.amp): weights are kept in fp32, and each operator runs in a type of its
// own, with the kernels that cast its operands before it and their gradients behind it.
//
//   to the half type  convolutions, linear layers, products, attention, prelu
//   to fp32           softmax, layer, RMS, group and local response norms
//   as they come      everything else, in the widest type of its operands
//
// Source: PyTorch 2.11, "Automatic Mixed Precision package", the lists of CUDA operators; what the
// lists leave out runs as its operands are, batch norms with parameters in fp32.

#include "roofline/network.hpp"

namespace roofline {

/// The network in fp32 as it runs under autocast (amp or amp_bf16): its layers in their types and
/// the casts between them, each a layer of its own: "conv1.input to fp16", "conv1.weight to fp16",
/// "conv1.bias to fp16". Layers whose types are stated otherwise stay as they are, and so does a
/// record but for its types. The backward pass of a weight's cast is that of its gradient. Training
/// under amp ends with "gradients.unscale", which divides all gradients by the scale that the loss
/// was multiplied by and looks for overflows among them (GradScaler).
Network autocast(const Network& network, DataType how);
/// A network that is under autocast already, with the end of its training.
Network with_unscaling(const Network& network);

/// Whether autocast put the layer in, to cast what no layer of the network computes: its input, or
/// weights.
bool casts_given(const Network& network, const Layer& layer);
bool casts_weights(const Network& network, const Layer& layer);

}  // namespace roofline
