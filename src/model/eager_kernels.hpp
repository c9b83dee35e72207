#pragma once

#include "roofline/network.hpp"

namespace roofline {

/// The network with the kernels that PyTorch runs beside those of its layers (Layer::of_run):
///
///   conv1.bias           adds the bias to the whole output of a convolution, which cuDNN leaves
///   out conv1.bias gradient  in training sums the gradient of the output up, of linear layers too
///   relu.gradient sum    in training adds the gradients of a tensor that two layers read
///   bn1.counter          in training counts a batch norm's batches
///
/// Products take their bias in their epilogue.
Network with_eager_kernels(const Network& network);

}  // namespace roofline
