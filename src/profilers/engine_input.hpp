#pragma once

// Engines of TensorRT as an input format: the file of --exportLayerInfo is one network; the profile
// beside it, or among the other inputs, gives its layers their times.

#include <memory>

#include "load/byte_stream.hpp"
#include "roofline/reader.hpp"

namespace roofline {

std::unique_ptr<Reader> open_engine(std::unique_ptr<ByteStream> stream,
                                    std::span<const std::string> other_inputs);
/// Holds nothing of its own where the layers that its times belong to are known; an error else.
std::unique_ptr<Reader> open_engine_profile(std::unique_ptr<ByteStream> stream,
                                            std::span<const std::string> other_inputs);
/// Holds nothing of its own.
std::unique_ptr<Reader> open_engine_companion(std::unique_ptr<ByteStream> stream,
                                              std::span<const std::string> other_inputs);

}  // namespace roofline
