#pragma once

// The kinds of layers and what is known of each kind, one row a kind.

#include <cstdint>
#include <optional>
#include <string_view>

namespace roofline {

enum class LayerKind : std::uint8_t {
  conv,
  conv_transpose,
  linear,
  matmul,
  batch_norm,
  layer_norm,
  relu,
  relu6,
  leaky_relu,
  sigmoid,
  hardsigmoid,
  tanh,
  silu,
  hardswish,
  gelu,
  softmax,
  add,
  mul,
  concat,
  max_pool,
  avg_pool,
  global_avg_pool,
  upsample,
  flatten,
};
inline constexpr std::size_t layer_kind_count = 24;

/// What kinds have in common, as far as shapes and counts go.
enum class KindFamily : std::uint8_t {
  contraction,  ///< multiply-adds against weights or a second matrix
  norm,
  activation,
  combine,  ///< elementwise over several operands, or their concatenation
  pool,
  resize,
  free,  ///< a view: no kernel runs
};

struct KindInfo {
  LayerKind kind;
  std::string_view name;
  KindFamily family;
  /// FLOP an element of the input (pools, norms, activations), or an element of the result and
  /// operand after the first (add, mul). Contractions count 2 FLOP a MAC instead.
  std::uint64_t flop_per_element = 0;
  /// The backward pass reads the forward input (or an output of its size) beside the gradient.
  bool backward_reads_input = false;
};

const KindInfo& info(LayerKind kind);
std::optional<LayerKind> parse_layer_kind(std::string_view name);

}  // namespace roofline
