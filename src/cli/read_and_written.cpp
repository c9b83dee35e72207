#include "cli/read_and_written.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>

#include "cli/output_file.hpp"
#include "cli/required.hpp"
#include "load/byte_stream.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;

/// What is the same under all names of a file; where there is none yet, the path that it will have.
using OutputPlace = std::variant<FileIdentity, fs::path>;

/// None where it may be both ends: a terminal, /dev/null, a socket.
std::optional<OutputPlace> place_of(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_character_file(status) || fs::is_socket(status)) return std::nullopt;
  if (const auto identity = identity_of(path)) return *identity;
  return fs::weakly_canonical(fs::absolute(written_path(path), error), error);
}

struct NamedFile {
  NamedFile(std::string name_, std::string path_)
      : name(std::move(name_)), path(std::move(path_)), place(place_of(path)) {}

  std::string name;  ///< as messages call it
  std::string path;
  std::optional<OutputPlace> place;
};

NamedFile standard_input() { return {"standard input", "/dev/stdin"}; }
NamedFile standard_output() { return {"standard output", "/dev/stdout"}; }

bool uses_standard_output(const Options& options) {
  return options.format != nullptr || options.layer_file == "-";
}

NamedFile read_by(const std::string& option, const std::string& path) {
  return path == "-" ? standard_input() : NamedFile{option + ' ' + path, path};
}

/// As messages call a file that another one leads to.
std::string read_unasked(const std::string& path) { return path + ", which this run reads"; }

void add_input(const std::string& word, std::vector<NamedFile>& files) {
  const Expected<std::vector<std::string>> paths = resolve_input(word);
  if (!paths) return;  // said when it is read
  for (const std::string& path : *paths) {
    files.push_back(read_by("the input", path));
    for (const std::string& beside : read_with(path))
      files.emplace_back(read_unasked(beside), beside);
  }
}

std::vector<NamedFile> files_read(const Options& options) {
  std::vector<NamedFile> files;
  for (const std::string& word : options.inputs) add_input(word, files);
  const Catalogue catalogue;
  for (const std::string& gpu : options.gpus)
    if (const auto path = catalogue.path_of(gpu)) files.emplace_back("--gpu " + gpu, *path);
  if (!options.measured.empty()) files.push_back(read_by("--measured", options.measured));
  for (const StatedPrice& price : options.prices)
    if (!price.per_hour) files.push_back(read_by("--price", price.name));
  if (!options.kernel_model.empty())
    files.push_back(read_by("--kernel-model", options.kernel_model));
  // A built-in network has the name of no file.
  std::erase_if(files, [](const NamedFile& file) {
    return !file.place || !std::holds_alternative<FileIdentity>(*file.place);
  });
  return files;
}

std::vector<NamedFile> files_written(const Options& options) {
  std::vector<NamedFile> files;
  for (const Export& file : options.exports) files.emplace_back("-o " + file.path, file.path);
  if (!options.layer_file.empty() && options.layer_file != "-")
    files.emplace_back("--to-layers " + options.layer_file, options.layer_file);
  return files;
}

void check_written(const NamedFile& file, const std::vector<NamedFile>& others) {
  for (const NamedFile& other : others)
    if (file.place && file.place == other.place)
      throw UsageError(file.name + ": expected another file than " + other.name);
}

/// So that the same command may run twice.
void check_outside_inputs(const NamedFile& file, const Options& options) {
  for (const std::string& word : options.inputs)
    if (would_read(word, written_path(file.path)))
      throw UsageError(file.name + ": expected a file that the input " + word + " does not hold");
}

}  // namespace

void check_outputs(const Options& options) {
  const std::vector<NamedFile> written = files_written(options);
  const bool prints = uses_standard_output(options);
  const NamedFile printed = standard_output();
  std::vector<NamedFile> others;
  if (!written.empty() || (prints && is_replaceable(printed.path))) others = files_read(options);
  if (prints) {
    check_written(printed, others);
    others.push_back(printed);
  }
  for (const NamedFile& file : written) {
    check_written(file, others);
    check_outside_inputs(file, options);
    check_writable(file.path);
    others.push_back(file);
  }
}

void check_unread(const Options& options) {
  std::vector<NamedFile> files = files_written(options);
  if (uses_standard_output(options)) files.push_back(standard_output());
  for (const NamedFile& file : files)
    if (const auto name = file.place ? read_as(file.path) : std::nullopt)
      throw UsageError(file.name + ": expected another file than " + read_unasked(*name));
}

}  // namespace roofline
