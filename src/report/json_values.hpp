#pragma once

// Values as JSON has them.

#include <nlohmann/json.hpp>
#include <optional>

#include "roofline/engine.hpp"

namespace roofline {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity.
Json number(double value);

template <class T>
Json optional_number(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <>
inline Json optional_number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

/// The rates that are there, by engine.
Json rates_json(const EngineRates& rates);

/// Indented text; bytes that are not UTF-8 are replaced.
std::string dump_document(const Json& json);

}  // namespace roofline
