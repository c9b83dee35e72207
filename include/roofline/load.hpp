#pragma once

// From command-line words to opened inputs of any format, read item by item as LayerSpecs; and from
// single texts to networks and GPUs.

#include <typeindex>

#include "roofline/network.hpp"

namespace roofline {

/// One item of an input: a network, or one record of a stream. Only formats with open dimensions
/// (ONNX) use the settings. A record may have no layers (a host copy in our own output).
/// Repeatable, also after the reader is gone; each item belongs to one thread at a time.
struct Item {
  /// Throws InputError. Set by readers; users call spec().
  std::function<std::shared_ptr<const NetworkSpec>(const LayerDefaults&)> read;
  std::optional<std::size_t> line = {};  ///< of a record in its source
  std::size_t text_byte = 0;             ///< length of a record in its source

  Expected<std::shared_ptr<const NetworkSpec>> spec(const LayerDefaults& defaults) const;
};

class Reader {
 public:
  virtual ~Reader() = default;
  /// The next item, or its error, after which reading may go on; nullopt at the end.
  virtual std::optional<Expected<Item>> next() = 0;
  /// Whether items are independent records of a stream, not networks.
  virtual bool has_records() const { return false; }
  /// Whether next() may wait for the writer of the input.
  virtual bool may_wait() const { return false; }
  /// Remarks on the whole input, after the last item ("ignored columns: ...").
  virtual std::vector<std::string> notes() const { return {}; }
};

class ByteStream;

/// The names of a run's inputs, for formats with several files, and a cache of results from them.
/// Copies share the cache.
class InputSet {
 public:
  /// `apart`: each file is an input of its own, as for a comparison of ranks.
  InputSet(std::vector<std::string> names = {}, bool apart = false);
  std::span<const std::string> names() const;
  bool apart() const;

  /// Result of `find`, called once for each input name. Null if it throws InputError: the input's
  /// own reader reports the error.
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

/// The inputs behind a word, by name: a file, the layer files of a directory (recursive, sorted by
/// path, without hidden ones), "-" for standard input, or a built-in network.
Expected<std::vector<std::string>> resolve_input(const std::string& word);

/// Files read together with this input, as far as its name and first bytes tell.
std::vector<std::string> read_with(const std::string& name);

/// Whether a directory given as an input contains `path`, or would if that file existed.
bool would_read(const std::string& word, const std::string& path);

/// In the only format with its extension, else the format its first bytes look like. `inputs`: all
/// of the run. `first_line`: of an NDJSON input cut from a longer text.
Expected<std::unique_ptr<Reader>> open_input(const std::string& name, const InputSet& inputs = {},
                                             std::optional<std::size_t> first_line = {},
                                             const InputLimits& limits = {});

Expected<std::string> read_text(const std::string& path);

/// A JSON text with one layer, an array of layers or a network. `source`: its name in errors.
Expected<Network> load_network(std::string_view json_text, const std::string& source,
                               const LayerDefaults& defaults);

Expected<Gpu> load_gpu(std::string_view json_text, const std::string& source);

}  // namespace roofline
