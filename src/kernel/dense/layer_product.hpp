#pragma once

// The matrix products of a contraction layer's pass, as a library runs them:
//
//   forward          M = N*P*Q     N = K    K = C*R*S
//   data gradient    M = N*H*W     N = C    K = K*R*S
//   weight gradient  M = K         N = C*R*S  K = N*P*Q     (few outputs, long sums: split-K)
//   linear           M = positions N = features out  K = features in, and its gradients likewise
//   matmul           M, N, K and `count` products
//
// A strided data gradient consists of stride_h*stride_w phases, input positions with the same taps.
// Libraries run every phase (newer ones: every phase with taps) over
// ceil(R/stride_h)*ceil(S/stride_w) taps, zeros included, on tensor cores over its own taps: `k`
// counts these, `useful_flop` the layer's own. A transposed convolution's forward is the data
// gradient of its mirror convolution, its data gradient is the mirror's forward.
//
// Channels which are no multiple of the engine's vector (16 byte on tensor cores) are padded in
// `k`, and their operand is gathered element by element (`gathered`).

#include <cstddef>
#include <cstdint>

#include "kernel/problem.hpp"
#include "kernel/resolved_model.hpp"
#include "model/layer_kind.hpp"
#include "roofline/gpu.hpp"
#include "roofline/layer.hpp"

namespace roofline {

/// Sizes are doubles, as they only enter times.
struct MatrixProduct {
  double m = 1;
  double n = 1;
  double k = 1;        ///< as issued, with zeros and padding
  double k_runs = 1;   ///< number of runs (taps) in k, each padded to whole steps
  double n_runs = 1;   ///< number of runs (taps) in n, each padded to whole tiles
  double count = 1;    ///< independent products: phases, batched matmul
  double longest = 1;  ///< steps of the longest of them, to the mean
  const char* m_is = "rows";
  const char* n_is = "columns";
  const char* k_is = "depth";
  Pass role = Pass::fwd;       ///< after mirroring a transposed layer
  bool scattered = false;      ///< results are added by atomics
  bool sums_products = false;  ///< the results of all products are added by a kernel of its own
  double element_byte = 4;     ///< of operands
  double result_byte = 4;
  double useful_flop = 0;  ///< of the layer; 0: all of m, n and k
};

/// A problem's product on one engine, as the library lays out its operands.
struct LayerProduct : MatrixProduct {
  /// Without operands: m, n and k are 1.
  explicit LayerProduct(const Problem& asked);

  const Problem* problem;
  bool is_convolution = false;  ///< by kernels of convolutions, not the GEMM library's
  bool pointwise = true;        ///< a plain GEMM: no window, no stride
  bool strided = false;
  bool strided_dgrad() const { return strided && role == Pass::dgrad; }
  bool leaves_zeros = false;    ///< a data gradient with phases without taps, which are cleared
  bool channels_first = false;  ///< tensors in NCHW where tensor cores need NHWC
  double padded_tensors = 0;    ///< with channels which copies pad to whole vectors
  double pad_element = 0;       ///< read and written by these copies
  /// Operands are loaded element by element: channels are no multiple of the vector.
  bool gathered = false;
  double gather_vector = 1;   ///< elements per gathering load
  bool pads_image = false;    ///< copies pad the channels of image and weights to four first
  bool batched = false;       ///< products without shared weights
  bool by_heuristic = false;  ///< kernels picked by the library's heuristic
  /// Without a window: the largest power of two, at most 16, dividing all rows.
  double row_byte = 16;
  double read_byte = 0;   ///< operands, once
  double write_byte = 0;  ///< result, once
};

/// Operands as the caller keeps them, the same as rows of a linear layer, copies with channels
/// innermost in whole vectors, or copies in which each position of a stride is a channel of its own
/// (kernels foldedNhwcToNhwcKernel).
enum class Operands : std::uint8_t { as_they_are, as_rows, copied, folded };

/// Refers to the problem.
LayerProduct layer_product(const Problem& problem, const EngineModel& engine, Operands operands);

/// The scattered form of a data gradient: products of all outputs and taps, M = N*P*Q, N = C*R*S, K
/// = K, added by atomics. It spends no work on zeros (strides) and fills tiles if C is small.
LayerProduct scattered(const LayerProduct& dgrad);

/// Whether tensors are stored with channels padded to whole vectors, without copies: an inference
/// engine's are, and only engines convolve one-byte types.
bool keeps_tensors_padded(const Layer& layer);

/// A convolution without a window in NHWC, whose tensors are the rows of a linear layer. In 16 bits
/// forward, of channels that are no whole vectors: on an H100 cuDNN 9.19 runs cuBLAS's kernels for
/// all 22 of a random sample, in 0.94 to 1.11 of the linear layer's time (mean 1.00), or pads the
/// channels where that is faster: 144 us of 501 -> 320 channels, 171 us by cuBLAS. Never on vector
/// units. In fp64 all, on all units: MIOpen's kernel for them is the GEMM library's, and of cuDNN
/// no times are known, so that equal work is assumed to take as long.
bool runs_as_product_of_rows(const Problem& problem);

/// One-byte results with rows which are no multiple of 16 run on older kernels.
bool has_ragged_rows(const LayerProduct& x);

/// Origin of a product's kernels; each reaches its own share of the engine's sustained rate.
enum class ProductKernels : std::uint8_t {
  convolution,
  older,          ///< kernels for any window
  older_strided,  ///< the same of strided data gradients
  gemm_library,   ///< products without a window
  fused_winograd,
  transformed_points,  ///< batched kernels of the GEMM library
};

/// The product that a kernel runs, tile by tile.
struct TileProduct : MatrixProduct {
  double flop_ratio = 1;  ///< FLOP done / FLOP counted, above 1 for complex products
  double load_ratio = 1;  ///< relative operand loads per multiply-add: half for complex products
  ProductKernels kernels = ProductKernels::convolution;
  bool follows_window = false;   ///< addresses follow a window
  bool follows_volume = false;   ///< a window of three axes, or phases
  double gather_vector = 0;      ///< elements per load of the gathered operand; 0: no gathering
  bool first_layer = false;      ///< on the library's special kernel
  double row_byte = 16;          ///< divides all rows
  bool shares_operands = false;  ///< threads read a stated tile's operands from shared memory
  double patch_share = 1;        ///< loaded share of the m side: one patch serves all its taps
  bool may_split = true;         ///< along k
  std::size_t faster_tiles = 0;  ///< than the tile that runs: 0 for the fastest
  /// Blocks take tile after tile, so a chain's end is hidden by the next tile.
  bool persistent = false;
  double most_split_blocks = 1e9;  ///< limit on the blocks of a split
  double most_splits = 1e9;        ///< parts of k
  bool converts = false;           ///< a kernel converts the result, summed in fp32 in memory
};

/// Whether the library's newest kernels run this window: on tensor cores few taps, near each other;
/// on vector units few taps forward, and all gradients but data gradients of volumes.
bool fits_newest(const LayerProduct& x, const ResolvedModel& model, bool on_tensor);

/// Forward, of many taps: of CUTLASS's kernels that the heuristic picked on an H100 and an H200, 57
/// of 71 of images in 16 bits and all 19 in TF32 had tiles of 256x64 or 128x128, 40 of these on
/// fewer blocks than SMs.
bool picks_wide_tiles(const LayerProduct& x, const SelectionConstants& selection);

TileProduct tile_product(const LayerProduct& x, const ResolvedModel& model,
                         const EngineModel& engine, bool older = false);

/// Differing operands of `outputs` neighbouring outputs: the patch under a square serves all taps.
double patch_share(const LayerProduct& x, double outputs);

}  // namespace roofline
