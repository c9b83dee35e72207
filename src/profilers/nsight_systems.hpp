#pragma once

// Nsight Systems' tables of GPU work, as `nsys stats --format csv` prints them: every launch
// (cuda_gpu_trace) or sums by kernel (cuda_gpu_kern_sum, cuda_gpu_sum).

#include <memory>
#include <string_view>

#include "load/byte_stream.hpp"
#include "roofline/reader.hpp"

namespace roofline {

bool looks_like_nsight_systems(std::string_view head);
std::unique_ptr<Reader> open_nsight_systems(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
