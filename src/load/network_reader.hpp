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

/// How rows are recognised that this program wrote, in JSON and in CSV.
namespace own_row {
inline constexpr std::string_view layer_key = "layer";
/// A key of every row, and of no layer file.
inline constexpr std::string_view time_key = "roofline_time_s";
/// A key of the rows of kernels, which have no layers.
inline constexpr std::string_view kernel_key = "nearest_roof";
inline constexpr const char* kernels_alone =
    "expected layers, got kernels without any, which this program wrote: give the profiler's file "
    "that they are of";
inline constexpr const char* older_version =
    "expected rows with their layers, got some without: another version of this program wrote "
    "them; give the input that they are of";
}  // namespace own_row

}  // namespace roofline
