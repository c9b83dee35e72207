#pragma once

// What PyTorch writes as input formats, each of which is one network.

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "load/byte_stream.hpp"
#include "load/json.hpp"
#include "roofline/load.hpp"

namespace roofline {

/// Traces of torch.profiler, whose layers are measured where they ran on a GPU. Among the other
/// inputs may be recordings that were made while its graphs were captured.
bool looks_like_trace(std::string_view head);
std::unique_ptr<Reader> open_trace(std::unique_ptr<ByteStream> stream);
std::unique_ptr<Reader> open_trace_beside(std::unique_ptr<ByteStream> stream,
                                          std::span<const std::string> inputs);

/// Programs of torch.export (.pt2).
std::unique_ptr<Reader> open_exported_program(std::unique_ptr<ByteStream> stream);

/// The network of a program, as model.json has it. Throws InputError.
NetworkSpec read_program(const Value& program, const LayerDefaults& defaults);

}  // namespace roofline
