#pragma once

// Inputs of every format, read piece by piece as LayerSpecs. A format is one row of
// input_formats() (src/load/input_formats.cpp); opening one costs nothing but its first bytes.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/error.hpp"
#include "roofline/infer.hpp"
#include "roofline/spec.hpp"

namespace roofline {

/// One thing that an input holds: a network, or one record of a stream. `spec` gives what the
/// source says of it under these settings; only formats with open dimensions (ONNX) look at them.
/// It has no layers where the record is of none (a copy over the host link in output of ours). It
/// may be called again, and outlives its reader; items may be used by several threads, each by one.
struct Item {
  /// Throws InputError: for readers to set; spec() is for whoever reads.
  std::function<std::shared_ptr<const NetworkSpec>(const LayerDefaults&)> read;
  std::optional<std::size_t> line = {};  ///< where a record stands in its source

  Expected<std::shared_ptr<const NetworkSpec>> spec(const LayerDefaults& defaults) const;
};

class Reader {
 public:
  virtual ~Reader() = default;
  /// The next thing, or what is wrong with it, after which reading may go on; none at the end.
  virtual std::optional<Expected<Item>> next() = 0;
  /// Whether the items are records of a stream, each alone and many, and not networks.
  virtual bool has_records() const { return false; }
  /// Whether next() may have to wait for whoever writes the input.
  virtual bool may_wait() const { return false; }
  /// What the user should know of the input as a whole, once all is read ("ignored columns: ...").
  virtual std::vector<std::string> notes() const { return {}; }
};

/// Bytes of a file or of standard input (src/load/byte_stream.hpp).
class ByteStream;

struct InputFormat {
  std::string_view name;
  std::vector<std::string_view> extensions;
  /// Whether the first bytes (up to 64 KiB) look like this format; asked in the table's order of
  /// the formats that share an extension, and of all for standard input.
  bool (*recognise)(std::string_view head);
  /// Throws InputError where the whole input cannot be read as this format.
  std::unique_ptr<Reader> (*open)(std::unique_ptr<ByteStream> stream);
  /// In place of open, where an input of the format may be spread over several files: takes the
  /// names of all inputs too.
  std::unique_ptr<Reader> (*open_beside)(std::unique_ptr<ByteStream> stream,
                                         std::span<const std::string> other_inputs) = nullptr;
  /// The files that are read with an input of this name, of those that are there; null where none
  /// is ever, and where only the input says which.
  std::vector<std::string> (*read_with)(const std::string& name) = nullptr;
  /// It is read line by line, as the lines come, and told from its first one.
  bool by_line = false;
};

std::span<const InputFormat> input_formats();

}  // namespace roofline
