#pragma once

// The columns of layers, of kernels and of settings, and their rows as files have them.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/layer_fields.hpp"
#include "report/columns.hpp"
#include "roofline/render.hpp"

namespace roofline {

/// The version of the keys of JSON and NDJSON, raised when one changes its meaning or goes.
inline constexpr std::uint64_t schema_version = 2;

// Rows with what they are rows of, which outlives them.

struct LayerLine {
  std::string_view source;
  std::string_view network;
  std::string_view gpu;
  const LayerResult& layer;
  bool in_stream = false;  ///< it stands alone, of no whole to have a share of
};

struct KernelLine {
  const KernelTable& table;
  const KernelRow& row;
  std::size_t name_width = 60;  ///< of its name in tables
};

struct SettingLine {
  const SettingsTable& table;
  const SettingRow& row;
  std::string_view work = {};  ///< what tables say of it, as they say it once for all its rows
  std::string_view gpu = {};   ///< what tables call the GPU
};

inline LayerLine line_of(const Result& result, const LayerResult& layer, bool in_stream = false) {
  return {result.setting.source, result.setting.network, result.setting.gpu, layer, in_stream};
}

std::span<const Column<LayerLine>> layer_columns();
std::span<const Column<KernelLine>> kernel_columns();
std::span<const Column<SettingLine>> setting_columns();
/// Of a type of layers, and of a whole result.
std::span<const Column<TypeRow>> sum_columns();

/// Facts of tables of layers.
namespace layer_facts {
inline constexpr Facts measured = 1, unmeasured = 2, recorded = 4, several_results = 8;
}
/// A fact of tables of types.
inline constexpr Facts of_types = 2;
/// Facts of tables of settings: what stands once above them, or goes without saying.
namespace setting_facts {
inline constexpr Facts ranked = 1, one_work = 2, one_gpu = 4, one_type = 8, one_batch = 16,
                       batch_of_one = 32;
}

// A Line below is one of the three.

/// Of sums, too: writes the row into the open object; `with_head` what says of what it is a row,
/// too.
template <class Line>
void write_fields(JsonWriter& writer, const Line& line, bool with_head = false);

/// The names of the columns of CSV, a line.
template <class Line>
const std::string& csv_header();

/// Appends all fields as a line of a format of rows.
template <class Line>
void append_row(std::string& text, RowFormat format, const Line& line);

/// "bytes_total" of "bytes.total"
std::string column_of(std::string_view path);

/// A member of what may not be there.
template <class Whole, class Member>
Cell part_of(const std::optional<Whole>& whole, Member Whole::*member) {
  return whole ? Cell((*whole).*member) : Cell();
}

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
Cell stated_layer(const LayerLine& row);
/// A layer in CSV: the columns of all fields, and a row's cells, standing alone.
std::string stated_columns();
void append_stated_cells(TextBuffer& csv, const LayerLine& row);

/// A row's `input`: one operand is its shape; several are a list of shapes, learned ones as
/// {"parameter": [...]}.
Cell stated_input(const Layer& layer);
/// The layers that the operands come from: a name, or a list where there may be several.
Cell stated_producers(const LayerResult& row);
Cell stated_output(const Layer& layer);

}  // namespace roofline
