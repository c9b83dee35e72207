#pragma once

// DeepBench's lists of convolutions and products of matrices (baidu-research/DeepBench,
// code/kernels): C++ headers with a tuple a layer.

#include <memory>
#include <string_view>

#include "load/byte_stream.hpp"
#include "roofline/reader.hpp"

namespace roofline {

bool looks_like_deepbench(std::string_view head);
std::unique_ptr<Reader> open_deepbench(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
