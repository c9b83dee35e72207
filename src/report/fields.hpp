#pragma once

// A column for all formats: its path nests it in JSON and NDJSON, "_" replaces "." in CSV, and
// tables for people show it if it has a header.

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/layer_fields.hpp"
#include "model/ranges.hpp"
#include "report/grid.hpp"
#include "report/writer.hpp"
#include "results/kernel_table.hpp"
#include "results/report.hpp"
#include "roofline/render.hpp"

namespace roofline {

/// Decides how people read a number, and whether rows add up.
enum class Unit : std::uint8_t {
  none,       ///< text, flags, lists
  count,      ///< small: shown in full
  operation,  ///< large: shown in powers of ten
  byte,
  second,
  share,
  ratio,
  number,  ///< any other that does not add up
  rate,    ///< likewise, in powers of ten
};

/// Bits that hold for a whole table, defined by each table; the lowest selects the drop order.
using Facts = unsigned;

template <class Row>
struct ForPeople {
  std::string_view header = {};                 ///< empty: no such column
  std::string (*text)(const Row&) = nullptr;    ///< null: the value in its unit
  Facts hidden = 0;                             ///< leaves the column out if one of them holds
  std::array<std::uint8_t, 2> drop_order = {};  ///< as in GridColumn
};

/// The group of a path: "bytes." of "bytes.total"; else empty.
constexpr std::string_view group_of(std::string_view path) {
  return path.substr(0, path.find('.') + 1);
}

template <class Row>
struct Column {
  std::string_view path;  ///< "bytes.total"; empty: for people only
  Unit unit = Unit::none;
  Cell (*value)(const Row&) = nullptr;
  ForPeople<Row> people = {};
  /// Says what the row is of: on each line of NDJSON and CSV, once for all rows in JSON.
  bool is_head = false;
  // Found in the path.
  std::string_view group = group_of(path);
  JsonKey key = JsonKey(path.substr(group.size()));
};

/// A row with the whole that it is of; views.
template <class Of, class Whole>
struct In {
  const Of& row;
  const Whole& whole;
};
template <class Of, class Whole>
std::vector<In<Of, Whole>> rows_in(const std::vector<Of>& rows, const Whole& whole) {
  return each_of(rows, [&](const Of& row) { return In<Of, Whole>{row, whole}; });
}

/// Empty for an unknown value.
std::string value_text(Unit unit, const Cell& value);
std::optional<double> number_of(const Cell& value);
bool adds_up(Unit unit);

template <class Row>
std::string cell_text(const Column<Row>& column, const Row& row) {
  if (column.people.text != nullptr) return column.people.text(row);
  return value_text(column.unit, column.value(row));
}

/// Empty if the column does not add up.
template <class Row>
std::string sum_text(const Column<Row>& column, std::span<const Row> rows) {
  if (column.people.text != nullptr || !adds_up(column.unit)) return "";
  double sum = 0;
  for (const Row& row : rows) {
    const std::optional<double> number = number_of(column.value(row));
    if (!number) return "";
    sum += *number;
  }
  return value_text(column.unit, sum);
}

template <class Row>
std::vector<Column<Row>> shown_columns(std::span<const Column<Row>> columns, Facts facts = 0) {
  std::vector<Column<Row>> shown;
  for (const Column<Row>& each : columns)
    if (!each.people.header.empty() && (each.people.hidden & facts) == 0) shown.push_back(each);
  return shown;
}

/// A table for people without rows; `title` replaces the first header.
template <class Row>
Grid empty_grid(const std::vector<Column<Row>>& columns, Facts facts = 0,
                std::string_view title = {}) {
  Grid grid;
  for (const Column<Row>& each : columns)
    grid.columns.push_back({std::string(each.people.header), each.unit == Unit::none,
                            each.people.drop_order[facts & 1U]});
  if (!title.empty()) grid.columns.front().header = title;
  return grid;
}

template <class Row>
Grid grid_of(const std::vector<Column<Row>>& columns, std::span<const Row> rows, Facts facts = 0,
             std::string_view title = {}) {
  Grid grid = empty_grid(columns, facts, title);
  for (const Row& row : rows)
    for (std::size_t i = 0; i < columns.size(); ++i)
      grid.columns[i].add(cell_text(columns[i], row));
  return grid;
}

template <class Row>
void add_sum(Grid& grid, const std::vector<Column<Row>>& columns, std::string_view name,
             std::span<const Row> rows) {
  grid.columns.front().add(name);
  for (std::size_t i = 1; i < columns.size(); ++i) grid.columns[i].add(sum_text(columns[i], rows));
}

/// For each of the columns, where its group ends; its own place if it has none.
template <const auto& columns>
constexpr auto list_group_ends() {
  std::array<std::size_t, std::size(columns)> ends{};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::string_view group = columns[i].group;
    ends[i] = i;
    while (!group.empty() && ends[i] < ends.size() && columns[ends[i]].group == group) ++ends[i];
  }
  return ends;
}

template <const auto& columns>
inline constexpr auto group_ends = list_group_ends<columns>();

/// A group of unknown columns is null.
template <const auto& columns, class Row>
void write_columns(JsonWriter& writer, const Row& row, bool with_head = false) {
  for (auto column = std::begin(columns); column != std::end(columns);) {
    const std::string_view group = column->group;
    if (group.empty()) {
      if (!column->path.empty() && (with_head || !column->is_head))
        writer.member(column->key, column->value(row));
      ++column;
      continue;
    }
    const std::string_view name = group.substr(0, group.size() - 1);
    const auto first = column;
    column = std::begin(columns) +
             group_ends<columns>[static_cast<std::size_t>(first - std::begin(columns))];
    if (std::none_of(first, column, [&](const auto& each) { return is_known(each.value(row)); })) {
      writer.member(name, {});
      continue;
    }
    writer.key(name).begin_object();
    for (auto each = first; each != column; ++each) writer.member(each->key, each->value(row));
    writer.end_object();
  }
}

template <const auto& columns, class Rows>
void write_rows(JsonWriter& writer, std::string_view name, const Rows& rows) {
  writer.objects(name, rows, [&](const auto& row) { write_columns<columns>(writer, row); });
}

// Columns of layers, kernels and settings, and rows of data formats.

/// Raised when a key of JSON or NDJSON changes its meaning or goes.
inline constexpr std::uint64_t schema_version = 2;

// Views of rows.
struct LayerLine {
  const Setting& setting;
  const LayerResult& layer;
  bool in_stream = false;  ///< the row stands alone: it has no share of a whole
};

struct KernelLine {
  const KernelTable& table;
  const KernelRow& row;
};

struct SettingLine {
  const SettingsTable& table;
  const SettingRow& row;
  std::string_view work = {};  ///< tables show it once, in the first of its rows
  std::string_view gpu = {};   ///< as tables show it
};

inline LayerLine line_of(const Result& result, const LayerResult& layer, bool in_stream = false) {
  return {result.setting, layer, in_stream};
}

/// Unknown for layers that run as requested.
inline Cell runs_as_cell(RunsAs runs_as) {
  return runs_as == RunsAs::layers ? Cell() : Cell(runs_as);
}

std::span<const Column<LayerLine>> layer_columns();
std::span<const Column<KernelLine>> kernel_columns();
std::span<const Column<SettingLine>> setting_columns();
/// Columns of sums: of a layer type, or of a whole result.
std::span<const Column<TypeRow>> sum_columns();

/// Facts of tables of layers.
namespace layer_facts {
inline constexpr Facts measured = 1;
inline constexpr Facts unmeasured = 2;
inline constexpr Facts recorded = 4;
inline constexpr Facts several_results = 8;
inline constexpr Facts one_engine = 16;
}  // namespace layer_facts
/// A fact of tables of types.
inline constexpr Facts of_types = 2;
/// Facts of tables of settings: what the text above a table says once.
namespace setting_facts {
inline constexpr Facts ranked = 1;
inline constexpr Facts one_work = 2;
inline constexpr Facts one_gpu = 4;
inline constexpr Facts one_type = 8;
inline constexpr Facts one_batch = 16;
inline constexpr Facts batch_of_one = 32;
inline constexpr Facts one_framework = 64;
inline constexpr Facts all_tokens = 128;  ///< of language models
inline constexpr Facts no_tokens = 256;
}  // namespace setting_facts

// `Line` below: LayerLine, KernelLine or SettingLine.

/// Writes the row into the open object; also for TypeRow. `with_head` adds the head columns.
template <class Line>
void write_fields(JsonWriter& writer, const Line& line, bool with_head = false);

/// Chosen columns, as CSV names them; empty: all.
using FieldNames = std::vector<std::string>;
/// A chosen column's place in the table of a kind of rows, npos for an unknown one and for `error`,
/// and its unit in base units.
struct FieldPlace {
  std::size_t place = std::string::npos;
  double unit = 1;
};
using FieldPlaces = std::vector<FieldPlace>;

/// Rows that one header can stand above.
struct RowKind {
  std::string_view of;   ///< "layers"
  std::string_view key;  ///< in JSON: "layers"
  FieldNames columns;    ///< that can be chosen
  /// All columns of CSV: a layer has one for each of its fields. The last is `error`, for inputs
  /// that could not be evaluated.
  FieldNames in_csv;

  /// Throws InputError if rows of this kind lack a chosen column.
  void check(const FieldNames& chosen) const;
};
template <class Line>
const RowKind& row_kind();

template <class Line>
FieldPlaces places_of(const FieldNames& fields);

/// `places`: of the fields.
template <class Line>
void append_row(std::string& text, RowFormat format, const Line& line, const FieldNames& fields,
                const FieldPlaces& places);
/// An input that could not be evaluated; nothing without the column for errors.
void append_error_row(std::string& text, const InputError& error, const FieldNames& columns);

/// Whether some kind of rows has the column, under its name or as conditions of --fail-if name it.
bool is_column(std::string_view name);
/// Columns of all kinds of rows.
FieldNames column_names();
/// The same by kind, for people and as JSON.
std::string columns_text(std::size_t width);
std::string columns_json();

struct RowParts;
/// What chosen columns of layers show (results/steps.hpp); all without any.
RowParts parts_shown(const FieldNames& chosen);

std::string column_of(std::string_view path);

template <class Whole, class Member>
Cell part_of(const std::optional<Whole>& whole, Member Whole::*member) {
  return whole ? Cell((*whole).*member) : Cell();
}

// Layers as layer files state them, which can be read again (stated.cpp).

void write_layer(JsonWriter& writer, const LayerSpec& layer);
/// A view of the user's own id; unknown if not stated.
Cell id_cell(const LayerId& id);

/// Records of the rows that tables show; copies count as one.
std::string render_layer_records(const Report& report);
/// A record of each layer in each of its passes; read again they are the same work.
std::string render_layer_records(const Network& network, bool training);

/// Path of a row's layer, a prefix in CSV: "layer_stride".
inline constexpr std::string_view layer_path = "layer";
/// The row's layer as an object; unknown for a copy over the host link, which no file can state,
/// and in a network for what its way to run adds again. Operands name the layers that they come
/// from, except in a stream.
Cell stated_layer(const LayerLine& row);
/// A layer in CSV, standing alone: the header of all fields, and a row's cells.
FieldNames stated_columns();
/// Place of the field that a column of stated_columns() shows; npos for other columns.
std::size_t stated_place(std::string_view column);
/// That field of the row's layer. A view that ends with the next call.
Cell stated_cell(const LayerLine& row, std::size_t place);
void append_stated_cells(TextBuffer& csv, const LayerLine& row);

/// The shape of a single operand, or else a list of shapes; learned ones as {"parameter": [...]}.
Cell stated_input(const Layer& layer);
/// Names of the layers that the operands come from: one, or a list if there may be several.
Cell stated_producers(const LayerResult& row);
Cell stated_output(const Layer& layer);

}  // namespace roofline
