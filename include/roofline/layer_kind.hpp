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
  host_copy,
};
inline constexpr std::size_t layer_kind_count = 25;

/// What kinds have in common, as far as shapes and counts go.
enum class KindFamily : std::uint8_t {
  contraction,  ///< multiply-adds against weights or a second matrix
  norm,
  activation,
  combine,  ///< elementwise over several operands, or their concatenation
  pool,
  resize,
  transfer,  ///< between host and device; made by --host-copies, never in a file
  free,      ///< a view: no kernel runs
};

/// Which of a layer's forward tensors its backward pass needs again.
enum class Saved : std::uint8_t { nothing, input, output };

struct KindInfo {
  LayerKind kind;
  std::string_view name;
  KindFamily family;
  /// FLOP an element of the input (pools, norms, activations), or an element of the result and
  /// operand after the first (add, mul). Contractions count 2 FLOP a MAC instead.
  std::uint64_t flop_per_element = 0;
  /// The forward tensor that the backward pass reads beside the gradient, kept until then.
  Saved saved = Saved::nothing;
};

const KindInfo& info(LayerKind kind);
/// The kind of that name in an input file.
std::optional<LayerKind> parse_layer_kind(std::string_view name);

}  // namespace roofline
