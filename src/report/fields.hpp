#pragma once

// Columns of layers, kernels and settings, and rows of data formats.

#include "model/layer_fields.hpp"
#include "report/columns.hpp"
#include "roofline/render.hpp"

namespace roofline {

/// Raised when a key of JSON or NDJSON changes its meaning or goes.
inline constexpr std::uint64_t schema_version = 2;

// Views of rows.
struct LayerLine {
  std::string_view source;
  std::string_view network;
  std::string_view gpu;
  std::optional<Framework> framework;
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
  return {result.setting.source,
          result.setting.network,
          result.setting.gpu,
          result.setting.framework,
          layer,
          in_stream};
}

std::span<const Column<LayerLine>> layer_columns();
std::span<const Column<KernelLine>> kernel_columns();
std::span<const Column<SettingLine>> setting_columns();
/// Columns of sums: of a layer type, or of a whole result.
std::span<const Column<TypeRow>> sum_columns();

/// Facts of tables of layers.
namespace layer_facts {
inline constexpr Facts measured = 1, unmeasured = 2, recorded = 4, several_results = 8,
                       without_ids = 16, one_engine = 32;
}
/// A fact of tables of types.
inline constexpr Facts of_types = 2;
/// Facts of tables of settings: what the text above a table says once.
namespace setting_facts {
inline constexpr Facts ranked = 1, one_work = 2, one_gpu = 4, one_type = 8, one_batch = 16,
                       batch_of_one = 32;
}

// `Line` below: LayerLine, KernelLine or SettingLine.

/// Writes the row into the open object; also for TypeRow. `with_head` adds the head columns.
template <class Line>
void write_fields(JsonWriter& writer, const Line& line, bool with_head = false);

template <class Line>
const std::string& csv_header();

/// Chosen columns, as CSV names them; empty: all.
using FieldNames = std::vector<std::string>;

template <class Line>
void append_row(std::string& text, RowFormat format, const Line& line, const FieldNames& fields);

/// Names of all columns of rows, as CSV has them.
std::vector<std::string> column_names();

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
/// The row's layer as an object; unknown for a copy over the host link, which no file can state.
/// Operands name the layers that they come from, except in a stream.
Cell stated_layer(const LayerLine& row);
/// A layer in CSV, standing alone: the header of all fields, and a row's cells.
std::string stated_columns();
void append_stated_cells(TextBuffer& csv, const LayerLine& row);

/// The shape of a single operand, or else a list of shapes; learned ones as {"parameter": [...]}.
Cell stated_input(const Layer& layer);
/// Names of the layers that the operands come from: one, or a list if there may be several.
Cell stated_producers(const LayerResult& row);
Cell stated_output(const Layer& layer);

}  // namespace roofline
