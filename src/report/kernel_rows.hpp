#pragma once

// A recording's kernels: their fields in files, and as people read them.

#include <span>
#include <string>
#include <string_view>

#include "report/grid.hpp"
#include "report/writer.hpp"
#include "roofline/render.hpp"

namespace roofline {

/// A key of JSON and NDJSON, a column of CSV.
struct KernelField {
  std::string_view path;
  Cell (*value)(const KernelTable& table, const KernelRow& row);
  bool is_head = false;  ///< says something of the whole table, which JSON says once
};

std::span<const KernelField> kernel_fields();

/// Writes the fields into the open object; `with_head` those of the table, too.
void write_kernel_fields(JsonWriter& writer, const KernelTable& table, const KernelRow& row,
                         bool with_head);

/// What stands above the table: where the recording is from, the roofs, what the GPU did.
std::string kernel_title(const KernelTable& table);
Grid kernel_grid(const KernelTable& table, const KernelSelection& selection,
                 const RenderStyle& style);
/// What the columns mean that the tables have.
std::string kernel_legend(const Report& report);

std::string kernel_label(const KernelRow& row);
/// "24.57 us, 12.3%, x4": its time, its share of all, its launches.
std::string kernel_note(const KernelRow& row);
/// All that is known of a kernel, a line each.
std::string kernel_hover(const KernelRow& row);

}  // namespace roofline
