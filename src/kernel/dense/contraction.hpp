#pragma once

// The matrix product(s) that a contraction layer's pass is, as a library runs it:
//
//   forward          M = N*P*Q     N = K    K = C*R*S
//   data gradient    M = N*H*W     N = C    K = K*R*S
//   weight gradient  M = K         N = C*R*S  K = N*P*Q     (few outputs, long sums: split-K)
//   linear           M = positions N = features out  K = features in, and its gradients likewise
//   matmul           M, N, K and `count` products
//
// A strided data gradient falls apart into stride_h*stride_w phases, input positions that meet the
// same taps. Libraries run every phase (newer ones: that meets any) over
// ceil(R/stride_h)*ceil(S/stride_w) taps, zeros included: `k` counts those, `useful_flop`
// the layer's own. A transposed convolution's forward is the data gradient of its mirror
// convolution, its data gradient is that one's forward.
//
// Channels that are not a multiple of the engine's vector (16 byte, on tensor cores) are padded in
// `k`, and their operand is gathered element by element (`gathered`).

#include <cstdint>

#include "kernel/resolved_model.hpp"
#include "roofline/gpu.hpp"
#include "roofline/layer.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

/// A matrix product, its sizes as doubles: they only enter times.
struct MatrixProduct {
  double m = 1;
  double n = 1;
  double k = 1;               ///< as issued, zeros and padding included
  double k_runs = 1;          ///< k is this many runs (taps), each padded to whole steps
  double count = 1;           ///< independent products: phases, batched matmul
  const char* m_is = "rows";  ///< in words
  const char* n_is = "columns";
  const char* k_is = "depth";
  Pass role = Pass::fwd;    ///< after mirroring a transposed layer
  bool scattered = false;   ///< results are added by atomics
  double element_byte = 4;  ///< of operands
  double result_byte = 4;   ///< of the result's elements
  double useful_flop = 0;   ///< the layer's own; 0: all of m, n and k are
};

/// The one that a layer's pass is, with the layer's other sizes.
struct Contraction : MatrixProduct {
  bool pointwise = false;  ///< a plain GEMM: no window, no stride
  bool strided = false;
  bool leaves_zeros = false;    ///< a data gradient with phases that meet no tap: they are cleared
  bool channels_first = false;  ///< tensors in NCHW where tensor cores want NHWC
  bool channels_last = false;   ///< tensors in NHWC
  bool unaligned = false;       ///< channels that vector loads cannot take: copies pad them first
  bool gathered = false;        ///< operand loads are element-wise: channels off the vector's size
  double gather_vector = 1;     ///< elements that one such load brings
  bool pads_image = false;  ///< copies pad the image's channels, and the weights', to four first
  bool is_convolution = true;
  bool batched = false;    ///< a matmul: no operand is shared weights
  bool by_engine = false;  ///< on kernels that an inference engine's builder picked
  double row_byte = 16;    ///< of a product without a window: the largest power of two that divides
                           ///< the rows of all three matrices, at most 16
  std::uint8_t rank = 2;   ///< spatial rank

  // The convolution behind it, for algorithms that transform tiles of the image.
  double batch = 1, in_channels = 1, out_channels = 1;
  double taps = 1;                                  ///< of the window
  double out_positions = 1;                         ///< N*P*Q of the (mirrored) forward convolution
  double in_positions = 1;                          ///< of all images
  double out_h = 1, out_w = 1, in_h = 1, in_w = 1;  ///< of the (mirrored) forward convolution
  double kernel_h = 1, kernel_w = 1;
  double stride = 1, dilation = 1;  ///< product of strides; largest dilation

  double read_byte = 0;   ///< operands, once
  double write_byte = 0;  ///< result, once
};

/// What becomes of an operand's few channels, fewer than two vectors: they are gathered element by
/// element, or padded to whole vectors like any others.
enum class FewChannels : std::uint8_t { gathered, padded };

Contraction contraction_of(const Layer& layer, const Counts& counts, const EngineModel& model,
                           FewChannels few);

/// The data gradient the other way round: the products of all outputs and taps, M = N*P*Q, N =
/// C*R*S, K = K, added into the result with atomics. Costs no work on zeros (strides) and fills
/// tiles where C is small.
Contraction scattered(const Contraction& dgrad);

/// Whether the channels of its tensors are padded to whole vectors as they lie in memory, so that
/// no copies are: an inference engine's are, and nobody else convolves types of one byte.
bool keeps_tensors_padded(const Layer& layer);

/// A product of one-byte types whose rows of results are no multiple of 16: older kernels make it.
bool has_ragged_rows(const Contraction& x);

/// Whose kernels run a product: each reaches a share of its own of what the engine sustains.
enum class ProductKernels : std::uint8_t {
  convolution,
  dilated,       ///< of a window whose taps lie far apart
  gemm_library,  ///< products without a window
  fused_winograd,
  transformed_points,  ///< the GEMM library's batched ones
};

/// The product that a kernel runs.
struct Product : MatrixProduct {
  double flop_ratio = 1;  ///< of what is done to what is counted: complex products
  double load_ratio = 1;  ///< of operands loaded for a multiply-add: half in complex products
  ProductKernels kernels = ProductKernels::convolution;
  bool follows_window = false;   ///< addresses do
  double gather_vector = 0;      ///< elements that one load of the gathered operand brings; 0: none
  bool first_layer = false;      ///< in the kernel that the library has for it
  double row_byte = 16;          ///< that all rows are multiples of
  bool shares_operands = false;  ///< threads read a stated tile's operands from shared memory
  double patch_share = 1;        ///< of the m side, what is loaded: a patch serves all its taps
  bool may_split = true;         ///< along k
  bool persistent = false;  ///< blocks take tile after tile: a chain's ends hide in the next tile
  double most_split_blocks = 1e9;  ///< no split makes more blocks than this
  double most_splits = 1e9;        ///< parts of k
  bool converts = false;  ///< the result is summed in fp32 in memory and converted by a kernel
};

/// The contraction as one product.
Product product_of(const Contraction& x, const ResolvedModel& model, const EngineModel& engine);

/// Of the operands that `outputs` neighbouring outputs multiply, the share that differ: the patch
/// under a square of outputs serves all taps.
double patch_share(const Contraction& x, double outputs);

}  // namespace roofline
