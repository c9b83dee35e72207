#pragma once

// JSON documents to specs: a layer, a list of layers, a network, or output of this program.

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "load/json.hpp"
#include "load/whole_input.hpp"

namespace roofline {

/// Throws InputError for unknown keys, for keys of other kinds, and for wrong types.
LayerSpec read_layer(const Value& object);
/// For a layer whose place its reader knows: Value::place() searches the document for it.
LayerSpec read_layer(const Value& object, Place place);

DataType read_data_type(const Value& value);

/// The file's name without folder and extension.
std::string network_name(const std::string& source);

/// One network, or one for each result of a report. Reads a long list's layers on demand, as they
/// take more memory than the document. Throws InputError.
NetworkSpecs read_networks(const std::shared_ptr<const JsonDocument>& document);

/// A single layer, named by its line; none, and an assumption, for a row of a copy over the host
/// link. Throws InputError.
std::shared_ptr<const NetworkSpec> read_record(const Value& record);

/// Throws InputError.
using ReadLine = std::shared_ptr<const NetworkSpec> (*)(std::string_view line,
                                                        const Origin& origin);
/// One record a line.
std::unique_ptr<Reader> open_records(std::unique_ptr<ByteStream> stream, ReadLine read);

/// Keys that identify rows of this program's JSON and CSV.
namespace own_row {
inline constexpr std::string_view layer_key = "layer";
/// In every row, and in no layer file.
inline constexpr std::string_view time_key = "roofline_time_s";
/// What is read of a row of CSV beside its layer.
inline constexpr std::array<std::string_view, 7> csv_keys{
    "gpu", "batch", "error", "type", "runs_as", "framework", "fused_into"};
/// In rows of kernels, which have no layers.
inline constexpr std::string_view kernel_key = "nearest_roof";
inline constexpr const char* no_layers =
    "expected rows with their layers, got some without, which this program wrote: give the input "
    "that they are of";
}  // namespace own_row

// JSON (a document, or several in a stream), NDJSON (one a line) and CSV (a header of layer keys, a
// layer a row).

bool looks_like_ndjson(std::string_view head);
/// Whether a header has a key of layers or of this program's rows.
bool looks_like_csv(std::string_view head);

NetworkSpecs read_json(ByteStream& stream, BadRows& bad);
std::unique_ptr<Reader> open_ndjson(std::unique_ptr<ByteStream> stream);
/// NDJSON from a longer text, beginning at its line `first_line`; may be empty.
std::unique_ptr<Reader> open_ndjson_from(std::unique_ptr<ByteStream> stream,
                                         std::size_t first_line);
/// Objects over several lines, or several on one, as of jq.
bool looks_like_json_stream(std::string_view head);
std::unique_ptr<Reader> open_json_stream(std::unique_ptr<ByteStream> stream);
std::unique_ptr<Reader> open_csv(std::unique_ptr<ByteStream> stream);

}  // namespace roofline
