#pragma once

// What files have of a row of settings: a key of JSON and NDJSON, a column of CSV.

#include <span>
#include <string_view>

#include "report/writer.hpp"
#include "roofline/settings_table.hpp"

namespace roofline {

struct SettingField {
  std::string_view path;  ///< "fits", "expected_uncertainty.factor"
  Cell (*value)(const SettingsTable& table, const SettingRow& row);
  bool is_head = false;  ///< the whole table has it, so that JSON says it once
};

std::span<const SettingField> setting_fields();

/// Writes the fields into the open object; `with_head` those of the table, too.
void write_setting_fields(JsonWriter& writer, const SettingsTable& table, const SettingRow& row,
                          bool with_head);

}  // namespace roofline
