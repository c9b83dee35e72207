#pragma once

#include "roofline/network.hpp"

namespace roofline {

/// The network with an elementwise kernel after each convolution that has a bias, which adds it to
/// the whole output: so PyTorch runs cuDNN's convolutions. Products take theirs in their epilogue.
Network with_bias_kernels(const Network& network);

}  // namespace roofline
