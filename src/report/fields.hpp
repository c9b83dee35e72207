#pragma once

// The fields of rows of layers, of kernels and of settings, in one place: JSON and NDJSON nest them
// by their path, a CSV column is the path with "_" for ".", tables for people show those of layers
// that have a header.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/layer_fields.hpp"
#include "report/writer.hpp"
#include "roofline/render.hpp"

namespace roofline {

/// The version of the keys of JSON and NDJSON, raised when one changes its meaning or goes.
inline constexpr std::uint64_t schema_version = 2;

/// A row and what it is a row of, which outlive it.
struct Row {
  std::string_view source;
  std::string_view network;
  std::string_view gpu;
  const LayerResult& layer;
  bool in_stream = false;  ///< it stands alone, of no whole to have a share of
};

/// What a field's number counts: how people read it, and whether tables may add it up.
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

/// Which tables for people show a field.
enum class Shown : std::uint8_t {
  always,
  unmeasured,  ///< those without measured times
  measured,    ///< those with
  alone,       ///< those with times of layers measured one by one, in no recording
};

/// How tables for people show a field.
struct TableColumn {
  std::string_view header = {};  ///< empty: they do not show it
  Shown shown = Shown::always;
  /// What stands in the row of the total; nothing where the total has no such number.
  Cell (*total)(const Total&) = nullptr;
  /// What stands in a row where that is not the value in its unit.
  std::string (*text)(const LayerResult&) = nullptr;
};

struct OutputField {
  std::string_view path;  ///< "bytes.total"
  Unit unit;
  Cell (*value)(const Row&);
  TableColumn column = {};
  bool is_head = false;  ///< says what the row is of: on each line of NDJSON and CSV, once in JSON
};

/// A field of a kernel in a recording, or of a setting in a table of settings.
template <class Table, class Of>
struct FieldOf {
  std::string_view path;
  Cell (*value)(const Table& table, const Of& row);
  bool is_head = false;  ///< says something of the whole table, which JSON says once
};
using KernelField = FieldOf<KernelTable, KernelRow>;
using SettingField = FieldOf<SettingsTable, SettingRow>;

std::span<const OutputField> output_fields();
std::span<const KernelField> kernel_fields();

/// A member of what may not be there.
template <class Whole, class Member>
Cell part_of(const std::optional<Whole>& whole, Member Whole::*member) {
  return whole ? Cell((*whole).*member) : Cell();
}

/// Writes the fields, nested by their paths, into the open object; `with_head` those that say what
/// the row is of, too.
void write_fields(JsonWriter& writer, bool with_head, const Row& row);
void write_fields(JsonWriter& writer, bool with_head, const KernelTable& table,
                  const KernelRow& row);
void write_fields(JsonWriter& writer, bool with_head, const SettingsTable& table,
                  const SettingRow& row);

/// Rows of each have columns of their own.
enum class RowsOf : std::uint8_t { layers, kernels, points };
/// The names of the columns of CSV, a line.
std::string csv_header(RowsOf what);

/// Appends all fields as a line of a format of rows.
void append_row(std::string& text, RowFormat format, const Row& row);
void append_row(std::string& text, RowFormat format, const KernelTable& table,
                const KernelRow& row);
void append_row(std::string& text, RowFormat format, const SettingsTable& table,
                const SettingRow& row);

/// A row of the result.
inline Row row_of(const Result& result, const LayerResult& layer, bool in_stream = false) {
  return {result.setting.source, result.setting.network, result.setting.gpu, layer, in_stream};
}

/// "bytes_total" of "bytes.total"
std::string column_of(std::string_view path);

/// Whether an engine of the GPU computes the layer: not for views, copies and fused layers.
bool runs_on_engine(const Layer& layer);

// What a layer is, as layer files state it: what is written so can be read again (stated.cpp).

/// The object of all fields that the layer states.
void write_layer(JsonWriter& writer, const LayerSpec& layer);

/// Of the rows that tables show: a layer a line, standing alone, copies as one.
std::string render_layer_records(const Report& report);
/// Of each layer in each pass that it runs. Read again they are the same work.
std::string render_layer_records(const Network& network, bool training);

/// The path of a row's layer, with which its columns of CSV begin: "layer_stride".
inline constexpr std::string_view layer_path = "layer";
/// The row's layer as an object; unknown for a copy over the host link, which no file can state. In
/// a report its operands name the layers that they come from; in a stream it stands alone.
Cell stated_layer(const Row& row);
/// A layer in CSV: the columns of all fields, and a row's cells, standing alone.
std::string layer_columns();
void append_layer_cells(TextBuffer& csv, const Row& row);

/// A row's `input`: one operand is its shape; several are a list of shapes, learned ones as
/// {"parameter": [...]}.
Cell stated_input(const Layer& layer);
/// The layers that the operands come from: a name, or a list where there may be several.
Cell stated_producers(const LayerResult& row);
Cell stated_output(const Layer& layer);

}  // namespace roofline
