#pragma once

// Stand-ins for constants that a kernel or a file does not state. The program of the build that
// writes the constants' table reads them too.

#include <cstddef>
#include <string>
#include <string_view>

namespace roofline {

/// Files state only constants that measured layers distinguish. Others are copied, or simplest.
struct ConstantLikeness {
  std::string_view part;
  std::string_view like;
};

/// The first match applies.
inline constexpr ConstantLikeness likenesses[] = {
    {"dense/tf32/", "dense/tensor/"},
    {"dense/vector/gather_per_clk_per_sm", "dense/tensor/gather_per_clk_per_sm"},
    {"dense/vector/copy_start_s", "dense/tensor/copy_start_s"},
    {"attention/backward/", "attention/forward/"},
    {"vectorized_several/", "vectorized/"},
    {"permuted/", "broadcast/"},
    {"transposed/", "permuted/"},
    {"max_backward_nchw/", "max_nchw/"},
    {"nchw_forward_volume/", "nchw_forward_looped/"},
    {"nchw_dgrad_volume/", "nchw_dgrad_looped/"},
    {"nchw_cudnn_16bit/", "nchw_forward/"},
    {"/fp16_share", "/fp32_share"},
    {"/bf16_share", "/fp32_share"},
    {"/dgrad/", "/fwd/"},
    {"/wgrad/", "/fwd/"},
};

/// The path that stands in for one, of a constant or not; empty: no path does.
inline std::string like_path(std::string_view path) {
  for (const auto& [part, like] : likenesses) {
    const std::size_t at = path.find(part);
    if (at != path.npos) return std::string(path).replace(at, part.size(), like);
  }
  return "";
}

}  // namespace roofline
