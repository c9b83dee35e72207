#pragma once

// JSON documents to what they state: a layer, a list of layers, a network, or what this program
// wrote, whose rows have their layers as layer files state them.

#include <memory>
#include <string>
#include <string_view>

#include "load/json.hpp"
#include "load/whole_input.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// Throws InputError for unknown keys, for keys that the kind does not take, and for values of the
/// wrong type; whether they fit together is for infer() to say.
LayerSpec read_layer(const Value& object);

DataType read_data_type(const Value& value);

/// The name of a network that states none: the file's name without folder and extension.
std::string network_name(const std::string& source);

/// The networks of a document: one, or in a report of this program one for each of its results.
/// The document of a long list of layers takes less room than they do: it is kept, to read each
/// layer when it is asked for. Throws InputError.
NetworkSpecs read_networks(const std::shared_ptr<const JsonDocument>& document);

/// A record of a stream: one layer that stands alone, numbered by its line. It has no layers where
/// this program wrote it for what is no input (a copy over the host link). Throws InputError.
std::shared_ptr<const NetworkSpec> read_record(const Value& record);

/// What one line of a text says, a record. Throws InputError.
using ReadLine = std::shared_ptr<const NetworkSpec> (*)(std::string_view line,
                                                        const Origin& origin);
/// A text of records, one a line.
std::unique_ptr<Reader> open_records(std::unique_ptr<ByteStream> stream, ReadLine read);

/// How rows are recognised that this program wrote, in JSON and in CSV.
namespace own_row {
inline constexpr std::string_view layer_key = "layer";
/// A key of every row, and of no layer file.
inline constexpr std::string_view time_key = "roofline_time_s";
/// A key of the rows of kernels, which have no layers.
inline constexpr std::string_view kernel_key = "nearest_roof";
inline constexpr const char* no_layers =
    "expected rows with their layers, got some without, which this program wrote: give the input "
    "that they are of";
}  // namespace own_row

// Layer files as inputs: JSON (a document), NDJSON (one a line) and CSV (a header row of layer
// keys, then a layer a row).

bool looks_like_ndjson(std::string_view head);
/// Whether a header has a column that is a key of layers, or of rows that this program wrote.
bool looks_like_csv(std::string_view head);

NetworkSpecs read_json(ByteStream& stream, BadRows& bad);
std::unique_ptr<Reader> open_ndjson(std::unique_ptr<ByteStream> stream);
/// NDJSON cut out of a longer text, of which its first line is that one; it may be empty.
std::unique_ptr<Reader> open_ndjson_from(std::unique_ptr<ByteStream> stream,
                                         std::size_t first_line);
std::unique_ptr<Reader> open_csv(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
