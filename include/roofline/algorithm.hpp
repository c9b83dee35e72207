#pragma once

// What a kernel does with its work: the one list of names that mappings, plans and outputs share.
// Values are plain, so that a plan never refers to the text that it was stated in.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

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
  fft_tiled,

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
  bn_fw_inf_nhwc,
  bn_fw_inf_nchw,
  batch_norm_training_inner,
  batch_norm_training_plane,
  batch_norm_backward_inner,
  batch_norm_backward_plane,
  cat_copy_nhwc,
  cat_copy_nchw,
  max_pool_nhwc,
  max_pool_nchw,
  avg_pool_nhwc,
  avg_pool_nchw,
  mean_reduce_nhwc,
  mean_reduce_nchw,
  upsample_nearest_nhwc,
  upsample_nearest_nchw,
  softmax_warp,
  softmax_block,
  layer_norm,
  layer_norm_backward,
};

inline constexpr std::array<std::string_view, 48> algorithm_names{
    "implicit_gemm",
    "gemm",
    "scatter_gemm",
    "gemv",
    "direct",
    "winograd_2x2_fused",
    "winograd_4x4_nonfused",
    "winograd_5x5_nonfused",
    "fft_tiled",
    "depthwise_tiled_nhwc",
    "depthwise_wide_nhwc",
    "depthwise_dgrad_nhwc",
    "depthwise_forward_nchw",
    "depthwise_dgrad_nchw",
    "depthwise_wgrad_nchw",
    "grouped_direct_nhwc",
    "grouped_direct_nchw",
    "grouped_packed_gemm",
    "grouped_packed_gemm_repacked",
    "grouped_batched_gemm",
    "group_by_group_nhwc",
    "group_by_group_nchw",
    "group_by_group_small_nchw",
    "group_by_group_winograd",
    "fused_attention",
    "fused_attention_backward",
    "vectorized_elementwise",
    "broadcast_elementwise",
    "bn_fw_inf_nhwc",
    "bn_fw_inf_nchw",
    "batch_norm_training_inner",
    "batch_norm_training_plane",
    "batch_norm_backward_inner",
    "batch_norm_backward_plane",
    "cat_copy_nhwc",
    "cat_copy_nchw",
    "max_pool_nhwc",
    "max_pool_nchw",
    "avg_pool_nhwc",
    "avg_pool_nchw",
    "mean_reduce_nhwc",
    "mean_reduce_nchw",
    "upsample_nearest_nhwc",
    "upsample_nearest_nchw",
    "softmax_warp",
    "softmax_block",
    "layer_norm",
    "layer_norm_backward",
};
static_assert(algorithm_names.size() ==
              static_cast<std::size_t>(Algorithm::layer_norm_backward) + 1);

/// The names that a mapping may state.
inline constexpr std::span<const std::string_view> statable_algorithm_names{
    algorithm_names.data(), static_cast<std::size_t>(Algorithm::fft_tiled) + 1};

constexpr std::string_view name_of(Algorithm algorithm) {
  return algorithm_names[static_cast<std::size_t>(algorithm)];
}

/// Any algorithm that a plan may name.
constexpr std::optional<Algorithm> parse_algorithm(std::string_view text) {
  const auto found = std::find(algorithm_names.begin(), algorithm_names.end(), text);
  if (found == algorithm_names.end()) return std::nullopt;
  return static_cast<Algorithm>(found - algorithm_names.begin());
}

/// Whether a mapping may ask for it.
constexpr bool may_be_stated(Algorithm algorithm) {
  return static_cast<std::size_t>(algorithm) < statable_algorithm_names.size();
}

}  // namespace roofline
