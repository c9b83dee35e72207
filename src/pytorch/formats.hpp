#pragma once

// What PyTorch writes as input formats, each of which is one network.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "load/byte_stream.hpp"
#include "load/json.hpp"
#include "roofline/load.hpp"

namespace roofline {

/// Traces of torch.profiler, whose layers are measured.
bool looks_like_trace(std::string_view head);
std::unique_ptr<Reader> open_trace(std::unique_ptr<ByteStream> stream);

/// The layer that a piece of GPU work is of, and how long that run of the layer took, all its work
/// together. Empty for what is of no layer.
struct LayerRun {
  std::string_view layer;
  double time_s = 0;
};
/// Those of all pieces of GPU work in a trace, in its order.
struct LayerRuns {
  std::vector<std::string> names;  ///< that the runs refer to
  std::vector<LayerRun> runs;
};
LayerRuns layer_runs(ByteStream& trace);

/// What to add to the n-th piece of GPU work as the argument "roofline", as JSON; empty: nothing.
using AnnotationOf = std::function<std::string(std::size_t n)>;
using TakeText = std::function<void(std::string_view)>;
/// Gives on a trace with these arguments. Throws InputError for one that has them already.
void annotate_trace(ByteStream& trace, const AnnotationOf& annotation_of, const TakeText& take);

/// Programs of torch.export (.pt2).
std::unique_ptr<Reader> open_exported_program(std::unique_ptr<ByteStream> stream);

/// The network of a program, as model.json has it. Throws InputError.
NetworkSpec read_program(const Value& program, const LayerDefaults& defaults);

}  // namespace roofline
