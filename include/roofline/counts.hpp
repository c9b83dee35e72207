#pragma once

// The arithmetic and the memory traffic that a layer needs, whatever runs it.
//
// Conventions: 1 MAC = 1 multiply-add = 2 FLOP. FLOP of a contraction = 2 x MACs; bias adds and
// epilogues are not counted as FLOP. Taps that fall on padding count, as in every published figure.
// Bytes are algorithmic: each operand tensor read once, each result written once, each at its own
// data type and with its block scales; no im2col. Bias bytes are in the weights.

#include <cstdint>

#include "roofline/layer.hpp"

namespace roofline {

struct Bytes {
  std::uint64_t input = 0;
  std::uint64_t weight = 0;
  std::uint64_t output = 0;
  std::uint64_t total = 0;
};

/// In the backward passes `bytes` keeps the forward names: dgrad writes the gradient of the input
/// (bytes.input) and reads weight and the gradient of the output; wgrad writes bytes.weight.
struct Counts {
  std::uint64_t macs = 0;
  std::uint64_t flops = 0;
  std::uint64_t params = 0;   ///< learned
  std::uint64_t buffers = 0;  ///< the running statistics of a batch norm: kept, not learned
  Bytes bytes;
  std::uint64_t saved_byte = 0;  ///< of bytes.input, what a backward pass reads of the forward one
};

/// Throws OverflowError where a count exceeds 64 bits; a loaded Layer never does.
Counts count(const Layer& layer);

/// Whether a kernel runs for this pass. Contractions have all three; other kinds have no weight
/// gradient of their own (a norm's parameter gradients come with its data gradient); the gradient
/// of an add passes through and a flatten is a view, so neither runs anything.
bool runs(const Layer& layer, Pass pass);

/// Throws OverflowError where the product exceeds 64 bits.
std::uint64_t elements(const Shape& shape);

/// Bytes that so many elements take: ceil(bits x elements / 8), and a byte for each block of a
/// block-scaled type, the last one part filled. Throws OverflowError.
std::uint64_t stored_byte(std::uint64_t elements, DataType type);

}  // namespace roofline
