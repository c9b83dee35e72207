#pragma once

// One JSON object to the LayerSpec that it states.

#include "load/json.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// Throws InputError for unknown keys, for keys that the kind does not take, and for values of the
/// wrong type; whether they fit together is for infer() to say.
LayerSpec read_layer(const Value& object);

DataType read_data_type(const Value& value);

}  // namespace roofline
