#pragma once

// What files have of a point: a key of JSON and NDJSON, a column of CSV.

#include <span>
#include <string_view>

#include "report/writer.hpp"
#include "roofline/summary.hpp"

namespace roofline {

struct PointField {
  std::string_view path;  ///< "fits", "expected_uncertainty.factor"
  Cell (*value)(const PointTable& table, const OperatingPoint& point);
  bool is_head = false;  ///< of the whole table, which JSON says once
};

std::span<const PointField> point_fields();

/// Writes the fields into the open object; `with_head` those of the table, too.
void write_point_fields(JsonWriter& writer, const PointTable& table, const OperatingPoint& point,
                        bool with_head);

}  // namespace roofline
