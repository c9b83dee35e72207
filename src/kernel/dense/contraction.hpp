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
// ceil(R/stride_h)*ceil(S/stride_w) taps, zeros included: `issued_k` counts those, `useful_flop`
// the layer's own. A transposed convolution's forward is the data gradient of its mirror
// convolution, its data gradient is that one's forward.
//
// Channels that are not a multiple of the engine's vector (16 byte, on tensor cores) are padded in
// `issued_k`, and their operand is gathered element by element (`gathered`).

#include <cstdint>

#include "kernel/resolved_model.hpp"
#include "roofline/gpu.hpp"
#include "roofline/layer.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

/// Sizes as doubles: they only enter times.
struct Contraction {
  double m = 1;
  double n = 1;
  double issued_k = 1;
  double k_runs = 1;          ///< issued_k is this many runs (taps), each padded to whole steps
  double count = 1;           ///< independent products: phases, batched matmul
  const char* m_is = "rows";  ///< in words
  const char* n_is = "columns";
  const char* k_is = "depth";
  Pass role = Pass::fwd;   ///< after mirroring a transposed layer
  bool pointwise = false;  ///< a plain GEMM: no window, no stride
  bool strided = false;
  bool leaves_zeros = false;    ///< a data gradient with phases that meet no tap: they are cleared
  bool channels_first = false;  ///< tensors in NCHW where tensor cores want NHWC
  bool channels_last = false;   ///< tensors in NHWC
  bool unaligned = false;       ///< channels that vector loads cannot take: copies pad them first
  bool gathered =
      false;  ///< operand loads are element-wise (channels not a multiple of the vector)
  double gather_vector = 1;  ///< elements that one such load brings
  bool pads_image = false;   ///< copies pad the image's channels, and the weights', to four first
  bool scattered = false;    ///< results are added by atomics
  bool is_convolution = true;
  bool by_engine = false;  ///< on kernels that an inference engine's builder picked
  double row_byte = 16;    ///< of a product without a window: the largest power of two that divides
                           ///< the rows of all three matrices, at most 16
  std::uint8_t rank = 2;   ///< spatial rank

  // The convolution behind it, for algorithms that transform tiles of the image.
  double batch = 1, in_channels = 1, out_channels = 1;
  double taps = 1;                                  ///< of the window
  double out_positions = 1;                         ///< N*P*Q of the (mirrored) forward convolution
  double out_h = 1, out_w = 1, in_h = 1, in_w = 1;  ///< of the (mirrored) forward convolution
  double kernel_h = 1, kernel_w = 1;
  double stride = 1, dilation = 1;  ///< product of strides; largest dilation

  double element_byte = 4;  ///< of operands
  double result_byte = 4;   ///< of the result's elements
  double read_byte = 0;     ///< operands, once
  double write_byte = 0;    ///< result, once
  double useful_flop = 0;
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

/// Channels that vector loads of the engine need: 16 byte on tensor cores, 4 byte for dp4a.
std::uint32_t channel_alignment(Engine engine);
bool is_tensor_engine(Engine engine);
EngineClass class_of(Engine engine);

/// Whether the channels of its tensors are padded to whole vectors as they lie in memory, so that
/// no copies are: an inference engine's are, and nobody else convolves types of one byte.
bool keeps_tensors_padded(const Layer& layer);

/// A product of one-byte types whose rows of results are no multiple of 16: older kernels make it.
bool has_ragged_rows(const Contraction& x);

/// Bytes of an operand's element.
double operand_byte(Engine engine);

}  // namespace roofline
