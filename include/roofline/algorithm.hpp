#pragma once

// What a kernel does with its work: the one list of names that mappings, plans and outputs share.
// Values are plain, so that a plan never refers to the text that it was stated in.

#include <cstdint>
#include <span>
#include <string_view>

#include "roofline/enumeration.hpp"

namespace roofline {

enum class Algorithm : std::uint8_t {
  // Dense contractions. A mapping may state these, and no others.
  implicit_gemm,  ///< a convolution as a matrix product whose operand is gathered on the fly
  gemm,
  scatter_gemm,  ///< a data gradient as products that atomics add up
  gemv,
  direct,  ///< a tile of outputs from a patch of the image in shared memory: hand-written, stated
  winograd_2x2_fused,
  winograd_4x4_nonfused,
  winograd_5x5_nonfused,
  fft,        ///< of the whole image
  fft_tiled,  ///< tile by tile of it

  // Depthwise convolutions.
  depthwise_tiled_nhwc,
  depthwise_wide_nhwc,
  depthwise_dgrad_nhwc,
  depthwise_forward_nchw,
  depthwise_dgrad_nchw,
  depthwise_wgrad_nchw,

  // Grouped convolutions.
  grouped_direct_nhwc,
  grouped_direct_nchw,
  grouped_packed_gemm,
  grouped_packed_gemm_repacked,
  grouped_batched_gemm,
  group_by_group_nhwc,
  group_by_group_nchw,
  group_by_group_small_nchw,
  group_by_group_winograd,

  fused_attention,
  fused_attention_backward,

  // Layers that stream through memory.
  vectorized_elementwise,
  broadcast_elementwise,
  strided_elementwise,
  transposed_elementwise,
  row_gather,
  reduction,
  bn_fw_inf_nhwc,
  bn_fw_inf_nchw,
  batch_norm_training_nhwc,
  batch_norm_training_nchw,
  batch_norm_backward_nhwc,
  batch_norm_backward_nchw,
  cat_copy_nhwc,
  cat_copy_nchw,
  max_pool_nhwc,
  max_pool_nchw,
  avg_pool_nhwc,
  avg_pool_nchw,
  upsample_nearest_nhwc,
  upsample_nearest_nchw,
  upsample_interpolated_nhwc,
  upsample_interpolated_nchw,
  softmax_warp,
  softmax_block,
  layer_norm,
  layer_norm_backward,
  group_norm,
  group_norm_backward,
};

/// Whether it does fewer multiply-adds than are counted: in another domain, where they are
/// products.
constexpr bool saves_macs(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::winograd_2x2_fused:
    case Algorithm::winograd_4x4_nonfused:
    case Algorithm::winograd_5x5_nonfused:
    case Algorithm::fft:
    case Algorithm::fft_tiled:
    case Algorithm::group_by_group_winograd: return true;
    default: return false;
  }
}

/// Whether a mapping may ask for it.
constexpr bool may_be_stated(Algorithm algorithm) { return algorithm <= Algorithm::fft_tiled; }

/// The names that a mapping may state.
inline constexpr std::span<const std::string_view> statable_algorithm_names{
    names_of<Algorithm>.data(), index_of(Algorithm::fft_tiled) + 1};

}  // namespace roofline
