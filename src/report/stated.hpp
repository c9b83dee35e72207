#pragma once

// What a layer is, as layer files state it: what is written so can be read again.

#include <string>
#include <string_view>

#include "model/layer_fields.hpp"
#include "report/fields.hpp"
#include "report/writer.hpp"

namespace roofline {

/// The value of a field as layer files have it; unknown where the layer does not state it.
Cell field_value(const LayerField& field, const LayerSpec& layer);
/// The object of all fields that the layer states.
void write_layer(JsonWriter& writer, const LayerSpec& layer);

/// The path of a row's layer, with which its columns of CSV begin: "layer_stride".
inline constexpr std::string_view layer_path = "layer";
/// The row's layer as an object; unknown for a copy over the host link, which no file can state. In
/// a report its operands name the layers that they come from; in a stream it stands alone.
Cell stated_layer(const Row& row);
/// The same for CSV: the columns of all fields, and a row's cells, standing alone.
std::string layer_columns();
void append_layer_cells(TextBuffer& csv, const Row& row, bool raw);

/// A row's `input`: one operand is its shape; several are a list of shapes, learned ones as
/// {"parameter": [...]}.
Cell stated_input(const Layer& layer);
/// The layers that the operands come from: a name, or a list where there may be several.
Cell stated_producers(const LayerResult& row);
Cell stated_output(const Layer& layer);

}  // namespace roofline
