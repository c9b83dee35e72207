#include "profilers/formats.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "input/foreign_files.hpp"
#include "load/byte_stream.hpp"
#include "load/network_reader.hpp"
#include "model/text.hpp"
#include "onnx/model.hpp"
#include "pytorch/formats.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/load.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;

bool always(std::string_view) { return true; }

template <std::unique_ptr<Reader> (*open)(std::unique_ptr<ByteStream>)>
std::unique_ptr<Reader> records(std::unique_ptr<ByteStream> stream, const InputSet&) {
  return open(std::move(stream));
}

/// In the order of trial; the last format of an extension takes all that is left.
const InputFormat input_table[] = {
    {"file of another program",
     {".json", ".csv"},
     looks_like_foreign_file,
     whole<refuse_foreign_file>,
     nullptr,
     true},
    {"JSON stream",
     {".json", ".ndjson", ".jsonl"},
     looks_like_json_stream,
     records<open_json_stream>},
    {"NDJSON", {".ndjson", ".jsonl"}, looks_like_ndjson, records<open_ndjson>, nullptr, true},
    {"Nsight Systems", {".csv"}, looks_like_nsight_systems, whole<read_nsight_systems>},
    {"Nsight Compute", {".csv"}, looks_like_nsight_compute, whole<read_nsight_compute>},
    {"CUTLASS profiler", {".csv"}, looks_like_cutlass, whole<read_cutlass>, nullptr, true},
    {"rocprofv3 CSV", {".csv"}, looks_like_rocprofv3_csv, whole<read_rocprofv3_csv>},
    {"other profiler's table", {".csv"}, looks_like_foreign_table, whole<refuse_foreign_file>},
    {"CSV", {".csv"}, looks_like_csv, records<open_csv>, nullptr, true},
    {"rocprofv3 JSON", {".json"}, looks_like_rocprofv3_json, whole<read_rocprofv3_json>},
    {"PyTorch profiler trace", {".json"}, looks_like_trace, whole<read_trace>},
    {"TensorRT engine", {".json"}, looks_like_engine_layers, whole<read_engine>, read_with_layers},
    {"TensorRT profile",
     {".json"},
     looks_like_engine_profile,
     whole<read_engine_profile>,
     read_with_profile},
    {"TensorRT log", {".json"}, looks_like_engine_companion, whole<read_engine_companion>},
    {"MIOpen's find database",
     {".fdb.txt", ".ufdb.txt"},
     looks_like_find_database,
     records<open_find_database>,
     nullptr,
     true},
    {"MIOpenDriver", {}, looks_like_miopen_driver, whole<read_miopen_driver>},
    {"PyTorch exported program", {".pt2"}, looks_like_zip, whole<read_exported_programs>},
    {"ONNX", {".onnx"}, onnx_graph::looks_like_model, whole<onnx_graph::read_onnx>},
    {"JSON", {".json"}, always, whole<read_json>},
};

bool has_extension(const InputFormat& format, std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return std::any_of(format.extensions.begin(), format.extensions.end(),
                     [&](std::string_view extension) { return name.ends_with(extension); });
}

/// ".ndjson, .jsonl, ..." without duplicates.
std::string all_extensions() {
  std::vector<std::string_view> all;
  for (const InputFormat& format : input_table)
    for (const std::string_view extension : format.extensions)
      if (std::find(all.begin(), all.end(), extension) == all.end()) all.push_back(extension);
  return joined(all);
}

bool is_layer_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return std::any_of(std::begin(input_table), std::end(input_table),
                     [&](const InputFormat& format) { return has_extension(format, name); });
}

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

/// Pipes, sockets and devices, which may never end.
bool is_no_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && fs::is_other(status);
}

/// A folder counts once, under its own path if that is below, so that circular links end.
class FolderWalk {
 public:
  explicit FolderWalk(const fs::path& folder) {
    add(folder);
    while (!links_.empty()) add(links_.extract(links_.begin()).value());
    std::sort(files_.begin(), files_.end());
  }

  const std::vector<std::string>& files() const { return files_; }
  bool has_folder(const std::string& path) const {
    std::error_code error;
    const auto folder = identity_of(fs::weakly_canonical(path, error).string());
    return folder && folders_.contains(*folder);
  }

 private:
  /// An unreadable folder counts as a file, which fails when opened and costs only itself.
  void add(const fs::path& folder) {
    if (const auto own = identity_of(folder.string()); own && !folders_.insert(*own).second) return;
    std::error_code error;
    std::error_code ignored;  // unreadable files fail later
    auto entries = fs::directory_iterator(folder, error);
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
      const fs::path& path = entries->path();
      if (is_hidden(path)) continue;
      if (!entries->is_directory(ignored)) {
        if (is_layer_file(path) && !is_no_file(path)) files_.push_back(path.string());
      } else if (entries->is_symlink(ignored)) {
        links_.insert(path);
      } else {
        add(path);
      }
    }
    if (error) files_.push_back(folder.string());
  }

  std::vector<std::string> files_;
  std::set<FileIdentity> folders_;
  std::set<fs::path> links_;  ///< not followed yet
};

std::vector<std::string> files_under(const std::string& directory) {
  std::vector<std::string> names = FolderWalk(directory).files();
  if (names.empty())
    throw InputError(
        directory, "",
        "expected layer files (" + all_extensions() + "), got a directory without any");
  return names;
}

constexpr const char* export_lines =
    "a model of PyTorch's is exported by program = torch.export.export(model, (example,)); "
    "torch.export.save(program, \"model.pt2\")";

/// Guesses the meaning: a GPU, a network with a similar name, or a file.
std::string what_else(const std::string& word, const std::vector<std::string_view>& names) {
  if (Catalogue().find(word)) return ": a GPU is given by --gpu " + word;
  const std::string meant = did_you_mean(word, names);
  constexpr std::size_t longest_name = 40;
  const bool is_number = !word.empty() && word.find_first_not_of("0123456789") == word.npos;
  if (is_number) return ": a list of numbers has commas, as --batch 32," + word;
  const bool is_name =
      !word.empty() && word.size() <= longest_name && word.find_first_of("./") == word.npos;
  return meant.empty() && is_name ? std::string("; ") + export_lines : meant;
}

[[noreturn]] void fail_unknown(const std::string& word) {
  std::vector<std::string_view> names;
  for (const EmbeddedFile& file : embedded_networks()) names.push_back(file.name);
  InputError error(word.empty() ? "\"\"" : word, "",
                   "expected a file, a directory or a built-in network, found none of that name" +
                       what_else(word, names));
  error.remedy = Remedy::network;
  throw error;
}

/// The first match among formats of the extension, or among all for an unknown extension.
const InputFormat& format_of(ByteStream& stream) {
  std::vector<const InputFormat*> candidates;
  for (const InputFormat& format : input_table)
    if (has_extension(format, stream.name())) candidates.push_back(&format);
  if (candidates.size() == 1) return *candidates.front();
  if (candidates.empty())
    for (const InputFormat& format : input_table) candidates.push_back(&format);
  const std::string_view line = stream.peek_line(head_byte);
  for (const InputFormat* format : candidates)
    if (format->by_line && format->recognise(line)) return *format;
  const std::string_view head = stream.peek(head_byte);
  for (const InputFormat* format : candidates)
    if (format->recognise(head)) return *format;
  return *candidates.back();
}

}  // namespace

Expected<std::vector<std::string>> resolve_input(const std::string& word) {
  return expected([&]() -> std::vector<std::string> {
    if (word == "-") return {word};
    std::error_code error;
    const fs::file_status status = fs::status(word, error);
    if (fs::is_directory(status)) return files_under(word);
    if (fs::exists(status) || find_network(word)) return {word};
    fail_unknown(word);
  });
}

std::vector<std::string> read_with(const std::string& name) try {
  std::error_code error;
  if (!fs::is_regular_file(name, error)) return {};  // a pipe can be read only once
  for (const InputFormat& format : input_table) {
    if (format.read_with == nullptr || !has_extension(format, name)) continue;
    std::vector<std::string> files = format.read_with(name);
    if (!files.empty() && &format_of(*decompressed(open_stream(name))) == &format) return files;
  }
  return {};
} catch (const InputError&) {
  return {};  // reported when it is read
}

bool would_read(const std::string& word, const std::string& path) {
  std::error_code error;
  const fs::path file(path);
  if (!fs::is_directory(word, error) || is_hidden(file) || !is_layer_file(file)) return false;
  return FolderWalk(word).has_folder(file.has_parent_path() ? file.parent_path().string() : ".");
}

Expected<std::unique_ptr<Reader>> open_input(const std::string& name, const InputSet& inputs,
                                             std::optional<std::size_t> first_line,
                                             const InputLimits& limits) {
  return expected([&]() -> std::unique_ptr<Reader> {
    std::error_code error;
    if (name != "-" && !fs::exists(fs::status(name, error)))
      if (const auto text = find_network(name))
        return whole<read_json>(text_stream(name, std::string(*text)));
    std::unique_ptr<ByteStream> stream = decompressed(open_stream(name, limits));
    if (const auto wrong = wrong_encoding(stream->peek(2))) throw InputError(name, "", *wrong);
    refuse_binary_file(*stream);
    // A filter that selects nothing gives a stream of no records.
    const bool is_empty_pipe = name == "-" && stream->peek(1).empty();
    if (first_line || is_empty_pipe)
      return open_ndjson_from(std::move(stream), first_line.value_or(1));
    if (name.ends_with(".py"))
      throw InputError(name, "", std::string("expected a model, got a program: ") + export_lines);
    const InputFormat& format = format_of(*stream);
    return format.open(std::move(stream), inputs);
  });
}

}  // namespace roofline
