#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "load/json.hpp"
#include "load/recording.hpp"
#include "operators/operation.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// Empty if missing.
std::vector<Tensor> read_engine_tensors(const Value& layer, std::string_view member);

/// Throws InputError for a name alone, as of engines without detail.
std::string engine_layer_name(const Value& layer);

struct NotModelled {
  std::string reason;
  std::string shapes;
  std::optional<LayerSpec> by_bytes;  ///< its traffic, if known
};

/// Throws InputError if the description is incomplete.
std::variant<LayerSpec, NotModelled> read_engine_layer(const Value& layer);

struct LayerTime {
  std::string name;
  double time_s = 0;
};

/// The profiler's clock makes layers' times sum to more than a run. Subtracts the same time from
/// each, down to a tenth of it, so that they sum to the latency. Returns that time; 0 if the sum is
/// within the latency.
double take_off_profiling_cost(std::vector<LayerTime>& layers, double latency_s);

}  // namespace roofline
