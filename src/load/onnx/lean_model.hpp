#pragma once

// An ONNX file without its weights. A model's file is mostly weights, of which only the shapes
// matter here: they are skipped while the file is read, so that a file of gigabytes takes little
// memory.

#include <string>
#include <string_view>

#include "load/byte_stream.hpp"

namespace roofline::onnx_graph {

/// Data of tensors beyond this size is left out; sizes and indices that shapes follow from are far
/// smaller.
inline constexpr std::size_t most_tensor_byte = 4096;

/// The same ModelProto, without documentation and the data of large tensors; those are marked as
/// stored elsewhere (TensorProto.data_location). Throws InputError where the bytes are no protobuf
/// message, end too early, or nest or weigh too much without the weights.
std::string read_lean_model(ByteStream& stream);

/// Whether the first bytes of an input look like a ModelProto.
bool looks_like_model(std::string_view head);

}  // namespace roofline::onnx_graph
