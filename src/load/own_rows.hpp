#pragma once

// Rows that this program wrote: each has its layer as layer files state it, which the reader of
// layer files reads.

#include <optional>
#include <string>
#include <string_view>

#include "load/json_value.hpp"

namespace roofline {

/// A whole report (--json).
bool is_own_report(const JsonNode& document);
/// Throws InputError where a report is of kernels alone.
void refuse_kernels_alone(const Value& report);
/// A line of NDJSON, or a layer out of a report.
bool is_own_row(const JsonNode& record);

/// The row's layer; none for a copy over the host link, which is of no input. A time without a GPU
/// was measured on the row's. Throws InputError, for the record of an error too.
std::optional<LayerSpec> read_own_row(const Value& row);

/// A CSV file's column as a key of a row's layer ("layer_stride"), or beside our columns a time
/// that somebody measured ("measured_us"); none for others.
std::optional<std::string_view> layer_key_of_own_column(std::string_view column);
/// Whether a CSV file with these columns is ours. Throws InputError where an older version wrote
/// it.
bool is_own_header(const std::vector<std::string>& columns, const Origin& origin);

/// One of a report's results as the network that it is of: each layer once where it has several
/// passes, without copies over the host link. Throws InputError.
void read_own_result(const Value& result, NetworkSpec& network);
/// What makes a result's network another than that of a result on another GPU.
std::string layers_of_own_result(const Value& result);

}  // namespace roofline
