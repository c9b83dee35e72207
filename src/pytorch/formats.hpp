#pragma once

// What PyTorch writes as input formats, each of which is one network.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/byte_stream.hpp"
#include "load/whole_input.hpp"
#include "roofline/load.hpp"

namespace roofline {

/// Traces of torch.profiler, whose layers are measured where they ran on a GPU. Among the other
/// inputs may be recordings that were made while its graphs were captured.
bool looks_like_trace(std::string_view head);
Items read_trace(ByteStream& stream, const InputSet& inputs);

/// A piece of GPU work in a trace.
struct LayerRun {
  std::string layer;           ///< that it is of
  double time_s = 0;           ///< of that run of the layer, all its work together
  std::uint64_t end_byte = 0;  ///< where its event ends, behind its arguments
};
/// The pieces that are of a layer and have arguments last, in the trace's order.
std::vector<LayerRun> layer_runs(ByteStream& trace);

/// What to add to the arguments of a piece of work, as JSON; empty: nothing.
using AnnotationOf = std::function<std::string(const LayerRun& run)>;
/// Gives on the trace that these are of, with "roofline" among the arguments.
void annotate_trace(ByteStream& trace, std::span<const LayerRun> runs, const AnnotationOf& text_of,
                    const std::function<void(std::string_view)>& take);

/// Programs of torch.export (.pt2), each a network.
Items read_exported_programs(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
