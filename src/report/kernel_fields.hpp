#pragma once

// What files have of a recorded kernel: a key of JSON and NDJSON, a column of CSV.

#include <span>
#include <string_view>

#include "report/cell.hpp"
#include "report/json_writer.hpp"
#include "roofline/kernel_table.hpp"

namespace roofline {

struct KernelField {
  std::string_view name;
  Cell (*value)(const KernelTable& table, const KernelRow& row);
  bool is_head = false;  ///< of the whole table, which JSON says once
};

std::span<const KernelField> kernel_fields();

/// Writes the fields into the open object; `with_head` those of the table, too.
void write_kernel_fields(JsonWriter& writer, const KernelTable& table, const KernelRow& row,
                         bool with_head);

}  // namespace roofline
