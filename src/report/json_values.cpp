#include "report/json_values.hpp"

#include <cmath>

namespace roofline {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json rates_json(const EngineRates& rates) {
  Json json = Json::object();
  for (std::size_t i = 0; i < engine_count; ++i)
    if (rates[i]) json[std::string(engine_names[i])] = number(*rates[i]);
  return json;
}

std::string dump_document(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace roofline
