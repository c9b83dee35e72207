#include "cli/outputs.hpp"

#include <filesystem>
#include <optional>

#include "cli/errors.hpp"
#include "load/byte_stream.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;

/// How messages call the files of a run, by what is the same under all names of a file.
class FilesOfRun {
 public:
  void add_inputs(std::span<const Expected<std::string>> inputs) {
    for (const Expected<std::string>& input : inputs) {
      if (!input) continue;  // said when it is read
      if (*input == "-") add_read("/dev/stdin", "standard input");
      add_read(*input, "the input " + *input);
      for (const std::string& beside : read_with(*input)) add_read(beside, read_unasked(beside));
    }
  }

  /// Throws UsageError where the file is one of the others, or was read.
  void add_written(const std::string& path, const std::string& name) {
    const std::string place = place_of(path);
    if (place.empty()) return;
    const auto [known, is_new] = names_.emplace(place, name);
    std::optional<std::string> other;
    if (!is_new)
      other = known->second;
    else if (const std::optional<std::string> read = read_as(path))
      other = *read == "-" ? "standard input" : read_unasked(*read);
    if (other) throw UsageError(name + ": expected another file than " + *other);
  }

 private:
  /// As messages call a file that the command line does not name.
  static std::string read_unasked(const std::string& path) {
    return path + ", which this run reads";
  }

  /// A built-in network has the name of no file.
  void add_read(const std::string& path, const std::string& name) {
    if (identity_of(path)) names_.emplace(place_of(path), name);
  }

  /// Its device and its number there; where there is none yet, the path that it will have. Empty
  /// for what may be both ends: a terminal, /dev/null, a socket.
  static std::string place_of(const std::string& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_character_file(status) || fs::is_socket(status)) return "";
    if (const auto identity = identity_of(path))
      return std::to_string(identity->first) + ' ' + std::to_string(identity->second);
    return fs::weakly_canonical(fs::absolute(written_path(path), error), error).string();
  }

  std::map<std::string, std::string> names_;
};

}  // namespace

std::vector<Expected<std::string>> resolve_inputs(const std::vector<std::string>& words) {
  std::vector<Expected<std::string>> inputs;
  for (const std::string& word : words) {
    const auto names = resolve_input(word);
    if (!names) inputs.emplace_back(names.error());
    if (names) inputs.insert(inputs.end(), names->begin(), names->end());
  }
  return inputs;
}

std::map<std::string, OutputFile> open_outputs(const Options& options,
                                               std::span<const Expected<std::string>> inputs) {
  std::vector<std::pair<std::string, std::string>> written;  // paths, and what messages call them
  for (const Export& file : options.exports) written.emplace_back(file.path, "-o " + file.path);
  const bool prints_layers = options.layer_file == "-";
  if (!options.layer_file.empty() && !prints_layers)
    written.emplace_back(options.layer_file, "--to-layers " + options.layer_file);
  const bool prints = options.format != nullptr || prints_layers;
  std::map<std::string, OutputFile> outputs;
  if (written.empty() && !(prints && is_replaceable("/dev/stdout"))) return outputs;
  FilesOfRun files;
  files.add_inputs(inputs);
  if (prints) files.add_written("/dev/stdout", "standard output");
  for (const auto& [path, name] : written) {
    files.add_written(path, name);
    for (const std::string& word : options.inputs)
      if (would_read(word, written_path(path))) {  // so that the same command may run twice
        std::string message = name;
        message.append(": expected a file that the input ").append(word).append(" does not hold");
        throw UsageError(message);
      }
    outputs.try_emplace(path, path);
  }
  return outputs;
}

}  // namespace roofline
