#pragma once

// What this program writes, as the input that it was: computed values fall away, and what is left
// is stated as layer files state it.

#include "load/json_value.hpp"

namespace roofline {

/// A whole report (--json), or a line of one (NDJSON), by its schema_version.
bool is_own_report(const nlohmann::json& document);
bool is_own_record(const nlohmann::json& record);

/// A layer of a report, or a line of NDJSON, as a layer object.
nlohmann::json layer_of_output(const nlohmann::json& row);

/// Whether a CSV file with these columns is ours, and one of its rows as a line of NDJSON has it.
bool is_own_header(const std::vector<std::string>& columns);
nlohmann::json row_of_own_csv(nlohmann::json record);

/// One of a report's results as a network object. Throws InputError where it is none.
nlohmann::json network_of_output(const Value& result);

}  // namespace roofline
