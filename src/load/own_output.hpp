#pragma once

// What this program writes, as the input that it was: computed values fall away, and what is left
// is stated as layer files state it.

#include "load/json_value.hpp"

namespace roofline {

/// A whole report (--json), by its schema_version.
bool is_own_report(const nlohmann::json& document);
/// A line of NDJSON, or a layer out of a report.
bool is_own_record(const nlohmann::json& record);

/// A record as a layer object; none for a copy over the host link, which is of no input. Throws
/// InputError for the record of an error.
std::optional<nlohmann::json> layer_of_output(const Value& record);

/// Whether a CSV file with these columns is ours, and one of its rows as a line of NDJSON has it.
bool is_own_header(const std::vector<std::string>& columns);
nlohmann::json row_of_own_csv(nlohmann::json row);

/// One of a report's results as a network object: each layer once where it has several passes,
/// without copies over the host link. Throws InputError where it is none.
nlohmann::json network_of_output(const Value& result);

}  // namespace roofline
