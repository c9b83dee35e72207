#pragma once

// PyTorch's input formats, one network each.

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

bool looks_like_trace(std::string_view head);
Items read_trace(ByteStream& stream);

struct LayerRun {
  std::string layer;
  double time_s = 0;           ///< of the whole run of the layer
  std::uint64_t end_byte = 0;  ///< of its event, behind the arguments
};
/// Pieces whose events have their arguments last, in the trace's order.
std::vector<LayerRun> layer_runs(ByteStream& trace);

/// JSON for a piece's arguments; empty: nothing.
using AnnotationOf = std::function<std::string(const LayerRun& run)>;
/// Passes on the trace with "roofline" among the arguments of `runs`.
void annotate_trace(std::string_view trace, std::span<const LayerRun> runs,
                    const AnnotationOf& text_of, const std::function<void(std::string_view)>& take);

Items read_exported_programs(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
