#pragma once

// The fields of a row, in one place: JSON and NDJSON nest them by their path, a CSV column is the
// path with "_" for ".", the tables take those that have a header.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/cell.hpp"
#include "roofline/render.hpp"

namespace roofline {

/// What a field's number counts: how people read it, and that tables may add it up.
enum class Unit : std::uint8_t {
  none,   ///< text, flags, lists
  count,  ///< plain integers
  operation,
  byte,
  second,
  flop_per_byte,
  flop_per_second,
  byte_per_second,
  share,
  ratio,
};

/// Which tables for people show a field that has a header.
enum class Shown : std::uint8_t {
  always,
  unmeasured,  ///< those without measured times
  measured,    ///< those with
};

struct OutputField {
  std::string_view path;  ///< "bytes.total"
  Unit unit;
  Cell (*value)(const Row&);
  std::string_view header = {};  ///< in tables for people; empty: not shown there
  Shown shown = Shown::always;
  bool is_head = false;  ///< says what the row is of: on each line of NDJSON and CSV, once in JSON
};

std::span<const OutputField> output_fields();

/// Writes the fields, nested by their paths, into the open object; `with_head` those that say what
/// the row is of, too.
void write_fields(JsonWriter& writer, const Row& row, bool with_head);

/// A row of the result.
inline Row row_of(const Result& result, const LayerResult& layer) {
  return {result.setting.source, result.setting.network, result.setting.gpu, layer};
}

/// "bytes_total" of "bytes.total"
std::string column_of(std::string_view path);

/// Whether an engine of the GPU computes the layer: not for views, copies and fused layers.
bool runs_on_engine(const Layer& layer);

}  // namespace roofline
