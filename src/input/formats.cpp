#include "profilers/formats.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "input/folder_walk.hpp"
#include "input/foreign_files.hpp"
#include "load/embedded.hpp"
#include "load/network_reader.hpp"
#include "load/recording.hpp"
#include "model/text.hpp"
#include "onnx/model.hpp"
#include "pytorch/exported_program.hpp"
#include "pytorch/recording.hpp"
#include "roofline/catalogue.hpp"

namespace roofline {
namespace {

namespace fs = std::filesystem;

template <std::unique_ptr<Reader> (*open)(std::unique_ptr<ByteStream>)>
std::unique_ptr<Reader> records(std::unique_ptr<ByteStream> stream, const InputSet&) {
  return open(std::move(stream));
}

struct InputFormat {
  std::string_view extensions;  ///< between blanks
  /// Whether the first bytes (up to 64 KiB) look like this format. Asked in the table's order among
  /// formats with the same extension, and of all formats for standard input.
  bool (*recognise)(std::string_view head);
  /// Throws InputError if the whole input is unreadable in this format. `inputs`: some formats
  /// spread one input over several files.
  std::unique_ptr<Reader> (*open)(std::unique_ptr<ByteStream> stream, const InputSet& inputs);
  /// Read line by line as lines arrive; recognised by its first line.
  bool by_line = false;
  /// Other existing files of this input; null if there are none, or only the content names them.
  std::vector<std::string> (*read_with)(const std::string& name) = nullptr;
};

/// In the order of trial; the last format of an extension takes all that is left.
const InputFormat input_table[] = {
    {".json .csv", looks_like_foreign_file, whole<refuse_foreign_file>, true},
    {".json", looks_like_rocprofv3_json, whole<read_rocprofv3_json>, true},
    {".json", looks_like_trace, whole<read_trace>, true},
    {".json", looks_like_engine_layers, whole<read_engine>, true, read_with_layers},
    {".json", looks_like_engine_profile, whole<read_engine_profile>, true, read_with_profile},
    {".json", looks_like_engine_companion, whole<read_engine_companion>, true},
    {".json .ndjson .jsonl", looks_like_json_stream, records<open_json_stream>},
    {".ndjson .jsonl", looks_like_ndjson, records<open_ndjson>, true},
    {".csv", looks_like_nsight_systems, whole<read_nsight_systems>},
    {".csv", looks_like_nsight_compute, whole<read_nsight_compute>},
    {".csv", looks_like_cutlass, whole<read_cutlass>, true},
    {".csv", looks_like_rocprofv3_csv, whole<read_rocprofv3_csv>},
    {".csv", looks_like_foreign_table, whole<refuse_foreign_file>},
    {".csv", looks_like_driver_table, whole<read_driver_table>, true},
    {".csv", looks_like_csv, records<open_csv>, true},
    {".fdb.txt .ufdb.txt", looks_like_find_database, records<open_find_database>, true},
    {"", looks_like_key_list, records<open_key_list>, true},
    {"", looks_like_miopen_driver, whole<read_miopen_driver>},
    {".pt2", looks_like_zip, whole<read_exported_programs>},
    {".onnx", onnx_graph::looks_like_model, whole<onnx_graph::read_onnx>},
    {".json", [](std::string_view) { return true; }, whole<read_json>},
};

constexpr std::string_view packed = ".gz";

/// In small or capital letters.
bool has_extension(const InputFormat& format, const std::string& name) {
  const std::string lower = lower_case(name);
  std::string_view text = lower;
  if (text.ends_with(packed)) text.remove_suffix(packed.size());
  return ends_with_any(text, format.extensions);
}

/// ".ndjson, .jsonl, ..." without duplicates.
std::string all_extensions() {
  std::vector<std::string_view> all;
  for (const InputFormat& format : input_table)
    for (std::string_view left = format.extensions; !left.empty();)
      if (const auto each = take(left, ' '); std::ranges::find(all, each) == all.end())
        all.push_back(each);
  return joined(all);
}

/// The content tells of a packed file without the extension of a format.
bool is_layer_file(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::string lower = lower_case(name);
  const bool is_packed_alone =
      lower.ends_with(packed) && lower.find('.') + packed.size() == lower.size();
  return is_packed_alone || std::ranges::any_of(input_table, [&](const InputFormat& format) {
           return has_extension(format, name);
         });
}

std::vector<std::string> files_under(const std::string& directory) {
  std::vector<std::string> names = FolderWalk(directory, is_layer_file).files();
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
  const auto names = each_of(embedded_networks(), &EmbeddedFile::name);
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
  return FolderWalk(word, is_layer_file)
      .has_folder(file.has_parent_path() ? file.parent_path().string() : ".");
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
    // A chunk of a longer text may be empty.
    if (first_line) return open_ndjson_from(std::move(stream), *first_line);
    if (name == "-" && stream->peek(1).empty())
      throw InputError(name, "", "expected layers, got an empty input");
    if (name.ends_with(".py") && !looks_like_miopen_driver(stream->peek(head_byte)))
      throw InputError(name, "", std::string("expected a model, got a program: ") + export_lines);
    const InputFormat& format = format_of(*stream);
    return format.open(std::move(stream), inputs);
  });
}

}  // namespace roofline
