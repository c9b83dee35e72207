#pragma once

// The device memory that a network needs.

#include <cstdint>
#include <string>
#include <string_view>

#include "roofline/enumeration.hpp"
#include "roofline/network.hpp"

namespace roofline {

/// Inference keeps the weights and, while a layer runs, its operands, its result and every earlier
/// tensor that a later layer reads. Training keeps the weights, a gradient of each, and every
/// tensor that a backward pass reads again, and what the optimiser remembers of each weight.
/// The kernel with the largest workspace
/// adds that. The allocator's rounding comes on top. A view shares its tensor; an operand given as
/// a shape is there only while its layer runs.
struct Memory {
  std::uint64_t weight_byte = 0;
  std::uint64_t peak_activation_byte = 0;
  std::string peak_layer;                  ///< that runs at the peak
  std::uint64_t training_weight_byte = 0;  ///< with the layers that only training has
  std::uint64_t saved_activation_byte = 0;
  std::uint64_t optimizer_state_byte = 0;
  std::uint64_t workspace_byte = 0;  ///< the largest of any kernel, as they run one after the other

  std::uint64_t inference_byte() const {
    return weight_byte + peak_activation_byte + workspace_byte;
  }
  std::uint64_t training_byte() const {
    return 2 * training_weight_byte + saved_activation_byte + optimizer_state_byte + workspace_byte;
  }
};

/// What updates the weights: by the gradient alone, with its momentum, or with two moments a
/// weight.
enum class Optimizer : std::uint8_t { sgd, momentum, adam };

/// Without the workspace, which depends on the GPU. Throws OverflowError.
Memory memory_of(const Network& network, Optimizer optimizer = Optimizer::sgd);

}  // namespace roofline
