#pragma once

// What a TensorRT engine consists of: its layers, as the engine's inspector describes them, and how
// long its profiler says that each takes.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "load/json.hpp"
#include "load/recording.hpp"
#include "roofline/spec.hpp"

namespace roofline {

struct EngineTensor {
  Sizes sizes;
  std::optional<DataType> type;
  std::optional<Layout> layout;
};

/// The tensors of the member "Inputs" or "Outputs"; empty where there is none.
std::vector<EngineTensor> read_engine_tensors(const Value& layer, std::string_view member);

/// Throws InputError where there is no more than a name, as engines list layers without detail.
std::string engine_layer_name(const Value& layer);

/// Why a layer of the engine is none of ours.
struct NotModelled {
  std::string reason;
  std::string shapes;
  std::optional<LayerSpec> by_bytes;  ///< what it reads and writes, where it runs and tells that
};

/// Throws InputError where the description lacks what its kind of layer must have.
std::variant<LayerSpec, NotModelled> read_engine_layer(const Value& layer);

struct LayerTime {
  std::string name;
  double time_s = 0;
};

/// The profiler's clock costs time of its own at every layer, so that the layers' times sum to more
/// than a run takes. Takes the same time off every layer that took any, so that they sum to the
/// latency; a layer keeps at least a tenth of its time. Returns what was taken off each; 0 where
/// the sum is no larger than the latency.
double take_off_profiling_cost(std::vector<LayerTime>& layers, double latency_s);

}  // namespace roofline
