#include "report/json_values.hpp"

#include <cmath>

namespace roofline {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json rates_json(const EngineRates& rates) {
  Json json = Json::object();
  for (const Engine engine : enumerators<Engine>)
    if (rates[engine]) json[std::string(name_of(engine))] = number(*rates[engine]);
  return json;
}

std::string dump_document(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace roofline
