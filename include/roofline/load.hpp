#pragma once

// From words to opened inputs, of every format, read piece by piece as LayerSpecs; and single texts
// to networks and GPUs.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "roofline/error.hpp"
#include "roofline/gpu.hpp"
#include "roofline/network.hpp"
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
  std::size_t text_byte = 0;             ///< how long a record is there

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

/// The names of a run's inputs, among which a format finds the files that belong together, and what
/// was found in them. Copies are of the same set.
class InputSet {
 public:
  InputSet(std::vector<std::string> names = {});
  std::span<const std::string> names() const;

  /// What `find` returns, called once for the input of that name, however many others ask. Null
  /// where it throws InputError: the input's own reader says what is wrong.
  template <class Found, class FindIt>
  std::shared_ptr<const Found> find_in(const std::string& name, const FindIt& find) const {
    return std::static_pointer_cast<const Found>(
        find_once(name, typeid(Found), [&] { return std::make_shared<const Found>(find()); }));
  }

 private:
  struct Kept;
  using Find = std::function<std::shared_ptr<const void>()>;
  std::shared_ptr<const void> find_once(const std::string& name, std::type_index type,
                                        const Find& find) const;

  std::shared_ptr<Kept> kept_;
};

struct InputFormat {
  std::string_view name;
  std::vector<std::string_view> extensions;
  /// Whether the first bytes (up to 64 KiB) look like this format; asked in the table's order of
  /// the formats that share an extension, and of all for standard input.
  bool (*recognise)(std::string_view head);
  /// Throws InputError where the whole input cannot be read as this format. Takes the names of all
  /// inputs too, as one of the format may be spread over several files.
  std::unique_ptr<Reader> (*open)(std::unique_ptr<ByteStream> stream, const InputSet& inputs);
  /// The files that are read with an input of this name, of those that are there; null where none
  /// is ever, and where only the input says which.
  std::vector<std::string> (*read_with)(const std::string& name) = nullptr;
  /// It is read line by line, as the lines come, and told from its first one.
  bool by_line = false;
};

/// The inputs that a word stands for: a file, the layer files of a directory
/// (recursively, sorted by path, hidden ones left out), "-" for standard input, or a built-in
/// network, each by the name under which it is opened.
Expected<std::vector<std::string>> resolve_input(const std::string& word);

/// The files that are read with one of them, as far as its name and its first bytes say which.
std::vector<std::string> read_with(const std::string& name);

/// Whether a word that is a directory stands for a file of that path too, or would, were there one.
bool would_read(const std::string& word, const std::string& path);

/// Opens one of them: its format is that of its extension where only one format has it, else what
/// its first bytes look like. `inputs`: all of the run. `first_line`: it is NDJSON cut out of a
/// longer text, of which its first line is that one. `limits`: of what it may hold.
Expected<std::unique_ptr<Reader>> open_input(const std::string& name, const InputSet& inputs = {},
                                             std::optional<std::size_t> first_line = {},
                                             const InputLimits& limits = {});

/// The whole text of a file.
Expected<std::string> read_text(const std::string& path);

/// A JSON text that holds one layer, an array of layers or a network. `source` names the text in
/// errors.
Expected<Network> load_network(std::string_view json_text, const std::string& source,
                               const LayerDefaults& defaults);

Expected<Gpu> load_gpu(std::string_view json_text, const std::string& source);

}  // namespace roofline
