#pragma once

// One JSON object to one Layer.

#include <functional>
#include <optional>
#include <string>

#include "load/json_value.hpp"
#include "roofline/layer.hpp"
#include "roofline/load.hpp"

namespace roofline {

/// What a layer may refer to beside its own keys.
struct LayerScope {
  LayerDefaults defaults;
  std::optional<std::uint64_t> file_batch;
  std::size_t index = 0;            ///< in the file, for the default name
  const Layer* previous = nullptr;  ///< whose output is the input that is left out
  std::optional<std::size_t> previous_index;
  /// The index of the earlier layer of that name, and the layer itself. Fails at the value, which
  /// names the layer.
  std::function<std::pair<std::size_t, const Layer*>(const Value&)> find_layer;
};

/// Throws InputError; what it returns is a valid Layer.
Layer read_layer(const Value& object, const Origin& origin, const LayerScope& scope);

/// Whether a layer object may have this key.
bool is_layer_key(std::string_view key);

DataType read_data_type(const Value& value);
Pass read_pass(const Value& value);

}  // namespace roofline
