#pragma once

// ONNX models as an input format. Without the ONNX library, they are recognised and refused.

#include <memory>
#include <string_view>

#include "load/byte_stream.hpp"
#include "roofline/load.hpp"

namespace roofline {

bool looks_like_onnx(std::string_view head);
std::unique_ptr<Reader> open_onnx(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
