#pragma once

// The kinds of layers and what is known of each kind, one row a kind in src/model/layer_kind.cpp.
// A kind that works element by element, or on what its family has in common, needs only its row.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "roofline/enumeration.hpp"

namespace roofline {

enum class LayerKind : std::uint8_t {
  conv,
  conv_transpose,
  linear,
  matmul,
  attention,
  batch_norm,
  layer_norm,
  rms_norm,
  group_norm,
  instance_norm,
  local_response_norm,
  relu,
  relu6,
  leaky_relu,
  prelu,
  elu,
  sigmoid,
  hardsigmoid,
  tanh,
  silu,
  hardswish,
  gelu,
  softmax,
  elementwise,
  rowwise,
  add,
  sub,
  mul,
  div,
  concat,
  max_pool,
  avg_pool,
  global_avg_pool,
  reduce,
  upsample,
  copy,
  embedding,
  gather,
  scatter,
  other,
  flatten,
  host_copy,
};

/// What kinds have in common, as far as shapes and counts go.
enum class KindFamily : std::uint8_t {
  contraction,  ///< multiply-adds against weights or a second matrix
  attention,    ///< queries against keys, and the scores against values, in one kernel
  norm,
  activation,
  combine,  ///< elementwise over several operands, or their concatenation
  pool,
  resize,
  lookup,    ///< rows of a learned table, picked by indices
  movement,  ///< reads its operands and writes a result of a shape that its source states
  transfer,  ///< between host and device; made by --host-copies, never in a file
  free,      ///< a view: no kernel runs
};

/// Which elements of its operands one of its result's is made of.
enum class Reach : std::uint8_t {
  place,   ///< those at its own place: pointwise (a batch norm's statistics are parameters)
  moved,   ///< one from elsewhere: copies, concatenations, look-ups
  window,  ///< those around it
  row,     ///< the features of its position, which one block of threads keeps
  group,   ///< some channels of its image, at all positions
  plane,   ///< those of other positions; of a reduction, what its shapes say
};

/// How much of the first operand is read, and whether that is exact.
enum class OperandReads : std::uint8_t {
  all,
  window,     ///< the positions that windows cover
  of_result,  ///< as many elements as the result has
  picked,     ///< likewise at most: indices may name a row twice
  some,       ///< all at most: only the bytes of the operands are known
};

/// Whether compilers and engines run it inside the kernel of the layer before, which has to have
/// the elements at its own place alone: norms, functions and sums, of which it is known, and no
/// products.
enum class Fused : std::uint8_t { alone, joined };

/// What PyTorch's autocast computes in: a half type, fp32, or the widest of the operands' types.
enum class AutocastPolicy : std::uint8_t { half, fp32, widest };

/// Which of a layer's forward tensors its backward pass needs again.
enum class Saved : std::uint8_t { nothing, input, output };

/// What says more of a layer: its kind, or the operator where a kind stands for many.
enum class Named : std::uint8_t { by_kind, by_operator };

/// Where the features stand in a layer file's shapes of that kind.
enum class Features : std::uint8_t {
  first,  ///< [C, spatial...] or [N, C, spatial...]
  last,   ///< [F], [N, F] or [N, positions..., F], as PyTorch's linear and layer_norm have it
};

/// What an element's arithmetic costs a kernel that goes over its operands once. Times that were
/// measured of one class say nothing of another.
enum class ElementCost : std::uint8_t {
  own,          ///< the kernel has a formula of its own
  simple,       ///< compares, sums and products
  scaled,       ///< likewise, with a parameter of each channel
  exponential,  ///< one exponential, and a division
  several,      ///< exponentials, logarithms or powers, or an operand's neighbours
  erf,
  any,  ///< of functions that are not told apart: taken for an exponential
};

struct KindInfo {
  KindFamily family = KindFamily::contraction;
  /// FLOP an element of the input (pools, norms, activations), or an element of the result and
  /// operand after the first (add, mul). Contractions count 2 FLOP a MAC instead.
  std::uint64_t flop_per_element = 0;
  ElementCost cost = ElementCost::own;
  Reach reach = Reach::place;
  OperandReads reads = OperandReads::all;
  Fused fused = Fused::alone;
  AutocastPolicy autocast = AutocastPolicy::widest;
  /// The forward tensor that the backward pass reads beside the gradient, kept until then.
  Saved saved = Saved::nothing;
  Named named = Named::by_kind;
  Features features = Features::first;
  /// Other names in input files, separated by blanks, in the normal form of parse_layer_type.
  std::string_view aliases = "";
  LayerKind kind = LayerKind::conv;
  std::string_view name = "";
};

const KindInfo& info(LayerKind kind);
/// Every kind, in the enumerators' order.
std::span<const KindInfo> all_kinds();
/// Whether an input file may state the kind.
bool is_input_kind(LayerKind kind);
/// Convolutions and pools: kinds that slide a window.
bool has_window(LayerKind kind);

/// A kind, and the number of spatial axes that names such as "conv3d" add to it.
struct LayerType {
  LayerKind kind = LayerKind::conv;
  std::optional<std::uint8_t> rank;
};

/// The type of that name in an input file: our own names, PyTorch's class names ("Conv2d",
/// "BatchNorm2d", "LeakyReLU") and some others; case and "_" do not matter.
std::optional<LayerType> parse_layer_type(std::string_view name);

}  // namespace roofline
