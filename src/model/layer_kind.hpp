#pragma once

// The properties of each kind of layers. An elementwise kind, or one with the behaviour of its
// family, needs only its row in layer_kind.cpp.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "roofline/enumeration.hpp"
#include "roofline/layer_kind.hpp"

namespace roofline {

/// Kinds alike in shapes and counts.
enum class KindFamily : std::uint8_t {
  contraction,  ///< multiply-adds against weights or a second matrix
  attention,    ///< queries by keys, scores by values, in one kernel
  recurrent,    ///< products of the input, and step by step of the state
  deformable,   ///< a convolution whose taps lie where a second operand says
  norm,
  activation,
  combine,  ///< elementwise over several operands, or their concatenation
  pool,
  resize,
  lookup,    ///< rows of a learned table, picked by indices
  movement,  ///< reads operands, writes a result of the shape stated in the source
  transfer,  ///< between host and device; made by --assume host-copies, never in a file
  free,      ///< a view: no kernel runs
};

/// The operand elements behind one element of the result.
enum class Reach : std::uint8_t {
  place,   ///< at the same place: pointwise (a batch norm's statistics are parameters)
  moved,   ///< one from elsewhere: copies, concatenations, look-ups
  window,  ///< neighbours
  row,     ///< the features of its position, kept by one block of threads
  group,   ///< some channels of its image, at all positions
  plane,   ///< other positions; for a reduction, depends on the shapes
};

/// The elements of the first operand that are read: an exact number, or an upper estimate.
enum class OperandReads : std::uint8_t {
  all,
  window,     ///< the positions that windows cover
  of_result,  ///< as many elements as the result has
  picked,     ///< at most as many elements as the result has: indices may repeat a row
  some,       ///< at most all: only the bytes of the operands are known
};

/// Whether compilers and engines fuse it into the preceding layer's kernel: known for norms,
/// functions and sums (Reach::place), not for products.
enum class Fused : std::uint8_t { alone, joined };

/// Type of PyTorch's autocast: a half type, fp32, or the widest of the operands' types.
enum class AutocastPolicy : std::uint8_t { half, fp32, widest };

/// The forward tensor needed again by the backward pass.
enum class Saved : std::uint8_t { nothing, input, output };

/// The better description of a layer: its kind, or the operator if a kind covers many.
enum class Named : std::uint8_t { by_kind, by_operator };

/// Position of the features in a layer file's shapes.
enum class Features : std::uint8_t {
  first,  ///< [C, spatial...] or [N, C, spatial...]
  last,   ///< [F], [N, F] or [N, positions..., F], as in PyTorch's linear and layer_norm
};

/// Arithmetic cost of an element in a kernel with one pass over its operands. Times measured for
/// one class do not carry over to another.
enum class ElementCost : std::uint8_t {
  own,          ///< the kernel has its own formula
  simple,       ///< compares, sums and products
  scaled,       ///< likewise, with a parameter for each channel
  exponential,  ///< one exponential, and a division
  several,      ///< exponentials, logarithms or powers, or an operand's neighbours
  erf,
  any,  ///< unknown functions, counted as exponentials
};

struct KindInfo {
  KindFamily family = KindFamily::contraction;
  /// FLOP per element of the input (norms, activations), per tap of each result (pools), or per
  /// element of the result and operand after the first (add, mul). Products count 2 FLOP per MAC
  /// instead.
  std::uint64_t flop_per_element = 0;
  ElementCost cost = ElementCost::own;
  Reach reach = Reach::place;
  OperandReads reads = OperandReads::all;
  Fused fused = Fused::alone;
  AutocastPolicy autocast = AutocastPolicy::widest;
  Saved saved = Saved::nothing;
  Named named = Named::by_kind;
  Features features = Features::first;
  /// Host time of PyTorch's operator with its first kernel over that of a 2-D convolution
  /// (Gpu::host_operator_s): of tiny tensors on the host of an H100, with 5 us of
  /// the interpreter, means of fp16 and fp32 (PyTorch 2.11), rounded.
  double host_share = 0.65;
  /// Other names in input files, separated by blanks, in the normal form of parse_layer_type.
  std::string_view aliases = "";
  LayerKind kind = LayerKind::conv;
  std::string_view name = "";
};

const KindInfo& info(LayerKind kind);
/// In the enumerators' order.
std::span<const KindInfo> all_kinds();
bool is_input_kind(LayerKind kind);
bool is_convolution(LayerKind kind);
/// A product, a convolution, attention or a recurrent layer.
bool multiplies(LayerKind kind);
/// Convolutions and pools.
bool has_window(LayerKind kind);

/// A kind, with the number of spatial axes in names such as "conv3d".
struct LayerType {
  LayerKind kind = LayerKind::conv;
  std::optional<std::uint8_t> rank;
  bool depthwise = false;  ///< "DepthwiseConv2D"
};

/// Accepts our own names, class names of PyTorch and Keras ("nn.Conv2d", "Conv2DTranspose") and
/// some others; ignores case, "_", "-" and blanks.
std::optional<LayerType> parse_layer_type(std::string_view name);

}  // namespace roofline
