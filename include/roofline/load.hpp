#pragma once

// Text to layers. Everything that is wrong with an input is found here and thrown as an InputError;
// what comes out is valid.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/gpu.hpp"
#include "roofline/infer.hpp"
#include "roofline/network.hpp"

namespace roofline {

/// One thing to evaluate, as named on the command line.
struct InputSource {
  enum class Kind : std::uint8_t { json, ndjson, csv, standard_input, built_in };
  Kind kind = Kind::json;
  std::string name;  ///< path, "-", or the name of a built-in network
};

/// Resolves a command-line word: a file, a directory (its layer files, recursively, sorted by
/// path),
/// "-" or a built-in network. Throws InputError.
std::vector<InputSource> resolve_input(const std::string& word);

/// The whole text of an input. Throws InputError.
std::string read_text(const std::string& path);

/// What a network is called that states no name: the file's name without folder and extension.
std::string network_name(const std::string& source);

/// Layer, array of layers or network object. `source` names the text in errors.
Network load_network(std::string_view json_text, const std::string& source,
                     const LayerDefaults& defaults);

Gpu load_gpu(std::string_view json_text, const std::string& source);

/// Layers of an input that stand alone, one record a line or row, read as they are asked for.
class LayerReader {
 public:
  virtual ~LayerReader() = default;
  /// The next record as a layer, once for each of the defaults; empty at the end. Throws InputError
  /// for a bad record, after which reading may go on with the next one.
  virtual std::vector<Layer> next() = 0;
  /// Columns of a CSV file that are not keys of a layer.
  virtual std::vector<std::string> ignored_columns() const { return {}; }
};

/// What an input holds: a whole text, or records to be streamed.
struct OpenInput {
  std::string text;  ///< JSON, where `records` is null
  std::unique_ptr<LayerReader> records;
};

/// Opens a file, or standard input, where JSON and NDJSON are told apart by content: a first line
/// that is a whole JSON object with more lines after it is NDJSON. Throws InputError.
OpenInput open_input(const InputSource& source, const std::vector<LayerDefaults>& defaults);

}  // namespace roofline
