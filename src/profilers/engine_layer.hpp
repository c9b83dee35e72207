#pragma once

// One layer of a TensorRT engine, as its inspector describes it, as a layer of ours.

#include <optional>
#include <string>
#include <variant>

#include "load/json.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// Why a layer of the engine is none of ours.
struct NotModelled {
  std::string reason;
  std::string shapes;
};

/// Throws InputError where the description lacks what its kind of layer must have.
std::variant<LayerSpec, NotModelled> read_engine_layer(const Value& layer);

}  // namespace roofline
