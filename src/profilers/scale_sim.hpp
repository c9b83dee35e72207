#pragma once

// Topologies of SCALE-Sim: CSV of convolutions without padding, or of products of matrices.

#include <memory>
#include <string_view>

#include "load/byte_stream.hpp"
#include "roofline/reader.hpp"

namespace roofline {

bool looks_like_scale_sim(std::string_view head);
std::unique_ptr<Reader> open_scale_sim(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
