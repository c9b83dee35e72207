#include "profilers/formats.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

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

// Known files of other programs that hold no layers: errors name them and say what to give instead.

using namespace std::string_view_literals;

/// The place of a file's words.
enum class Seen {
  head,
  first_entry,  ///< the name of a zip's, as archives of programs hold other archives
  table,        ///< the line of its columns, in CSV or printed
  side,         ///< a table without kernels: skipped beside other inputs
};

struct ForeignFile {
  std::string_view name_endings;  ///< between blanks; enough by themselves
  std::string_view begin;
  std::string_view words[3];
  std::string_view what;  ///< empty for a file to read
  std::string_view to_do;
  Seen place = Seen::head;
};

constexpr std::string_view nsys_export =
    "print its kernels with nsys stats --report cuda_gpu_trace --format csv";
constexpr std::string_view nsys_record =
    "record with Nsight Systems, and print its kernels with nsys stats --report cuda_gpu_trace "
    "--format csv";
constexpr std::string_view nsys_report =
    "give the one of --report cuda_gpu_trace or cuda_gpu_kern_sum";
constexpr std::string_view nsys_calls = "Nsight Systems' table of calls";
constexpr std::string_view ncu_export = "print it with ncu --import FILE --page raw --csv";
constexpr std::string_view rocprof_export = "record with rocprofv3 --output-format csv or json";
constexpr std::string_view rocprof_file = "give the file of kernels beside it, *_kernel_trace.csv";
constexpr std::string_view sqlite = "SQLite format 3\0"sv;
constexpr std::string_view rocpd_export = "turn it into CSV with rocpd convert --output-format csv";
constexpr std::string_view sqlite_export =
    "if Nsight Systems wrote it, print its kernels with nsys stats --report cuda_gpu_trace "
    "--format csv; if rocprofv3 did, turn it into CSV with rocpd convert --output-format csv";
constexpr std::string_view other_profiler =
    "profile with Nsight Systems or rocprofv3, whose tables of kernels are read";
constexpr std::string_view tensorflow_trace = "a trace of TensorFlow or JAX";
constexpr std::string_view weights = "a file of weights (safetensors), without operators";
constexpr std::string_view torch_save =
    "a file of torch.save or torch.jit.save, without sizes of tensors";
constexpr std::string_view torchsummary = "a torchsummary, without strides and kernel sizes";
constexpr std::string_view torch_export =
    "save the model with torch.export.save(torch.export.export(model, (x,)), \"model.pt2\")";
constexpr std::string_view torch_record =
    "give the recording itself, of profile(..., record_shapes=True) and "
    "export_chrome_trace(\"FILE.json.gz\")";
constexpr std::string_view onnx_model = "give the ONNX model that it ran";
constexpr std::string_view own_columns = "name its columns name,h,w,r,s,c,k,stride";
constexpr std::string_view onnx_or_json = "convert it to ONNX, or write its layers as JSON";
constexpr std::string_view keras_export =
    "export the model with model.export(\"model.onnx\", format=\"onnx\")";
constexpr std::string_view tensorrt_export =
    "give what trtexec --exportLayerInfo=layers.json --profilingVerbosity=detailed "
    "--exportProfile=profile.json writes";

constexpr ForeignFile foreign_files[] = {
    {".nsys-rep .qdrep", "", {}, "a report of Nsight Systems", nsys_export},
    {".ncu-rep", "NVR\0"sv, {}, "a report of Nsight Compute", ncu_export},
    {"", sqlite, {"rocpd_"}, "a database of rocprofv3", rocpd_export},
    {"", sqlite, {}, "an SQLite database", sqlite_export},
    {".pftrace", "", {}, "a Perfetto trace", rocprof_export},
    {".xplane.pb", "", {}, "a profile of TensorFlow or JAX", other_profiler},
    {"", "", {"\"traceEvents\"", "\"deviceProperties\""}, "", ""},  // PyTorch's
    {"", "", {"\"traceEvents\"", "\"/host:CPU"}, tensorflow_trace, other_profiler},
    {"", "", {"\"traceEvents\"", "\"/device:"}, tensorflow_trace, other_profiler},
    {"", "", {"\"traceEvents\"", "\"hlo_module\""}, tensorflow_trace, other_profiler},
    {".safetensors", "", {"\0{\""sv, "\"dtype\"", "\"data_offsets\""}, weights, torch_export},
    {"", "\x89HDF\r\n", {}, "an HDF5 file, as Keras saves models", keras_export},
    {".engine .plan", "ftrt", {}, "a serialized engine of TensorRT", tensorrt_export},
    {"", "PK\3\4", {"/data.pkl"}, torch_save, torch_export, Seen::first_entry},
    {"", "\x80\2", {}, "a pickle, as torch.save writes", torch_export},
    {"", "", {"&&&& RUNNING TensorRT.trtexec"}, "a log of trtexec", tensorrt_export},
    {"", "", {"Time(ms)", "Avg.(ms)", "Layer"}, "a log of trtexec", tensorrt_export},
    {"",
     "[",
     {"\"Session\"", "\"model_loading", "\"ph\""},
     "a profile of ONNX Runtime",
     onnx_model},
    {"",
     "{",
     {"\"schema\"", "\"pid\"", "\"nodes\""},
     "an execution trace of PyTorch, without times",
     "record with torch.profiler.profile(record_shapes=True) and export_chrome_trace"},
    {"", "{", {"\"class_name\"", "\"config\""}, "a Keras model's to_json()", keras_export},
    {"", "", {"(\n  (", "): "}, "a printed PyTorch model, without sizes of images", torch_export},
    {"", "|", {"| #parameters", "| #flops"}, "a table of fvcore, without strides", torch_export},
    {"", "-----", {"Layer (type)", "Output Shape"}, torchsummary, torch_export},
    {"", "=====", {"Layer (type"}, "a torchinfo summary, without kernel sizes", torch_export},
    {"", "Model: \"", {}, "a Keras summary, without kernel sizes", keras_export},
    {"", "", {"[convolutional]", "filters="}, "a network of Darknet", onnx_or_json},
    {"", "", {"bottom:", "top:", "type:"}, "a network of Caffe (prototxt)", onnx_or_json},
    {"", "Layer name", {"IFMAP Height", "Filter Height"}, "a topology of SCALE-Sim", own_columns},

    {"", "", {"Total Time", ",Num Calls"}, nsys_calls, nsys_report, Seen::side},
    {"", "", {",Instances", "Range"}, "Nsight Systems' table of ranges", nsys_report, Seen::side},
    {"", "", {",Duration", ",Tid"}, "Nsight Systems' trace of the host", nsys_report, Seen::side},
    {"", "", {"Calls", "TotalDurationNs"}, "a table of sums of rocprof", rocprof_file, Seen::side},
    {"", "", {"Agent_Type", "Node_Id"}, "rocprofv3's list of agents", rocprof_file, Seen::side},
    {"", "", {"Function", "_Timestamp"}, "rocprofv3's trace of calls", rocprof_file, Seen::side},
    {"", "", {"Direction", "_Timestamp"}, "rocprofv3's trace of copies", rocprof_file, Seen::side},
    {"", "", {"Operation", "_Timestamp"}, "rocprofv3's allocations", rocprof_file, Seen::side},
    {"", "", {"KernelName", "gpu-id"}, "rocprof's table of kernels", rocprof_export, Seen::table},
    {"",
     "",
     {"Dispatch_ID", "GPU_ID"},
     "rocprofiler-compute's table of kernels",
     rocprof_export,
     Seen::table},
    {"", "", {"Time(%)", "Calls", "Name"}, "a table of nvprof", nsys_record, Seen::table},
    {"", "", {"Self CPU", "Calls"}, "a table of key_averages()", torch_record, Seen::table},
    {"", "", {"(%)", "Total Time"}, "a printed table of Nsight Systems", nsys_export, Seen::table},
};

/// `endings`: between blanks.
bool ends_with_any(std::string_view name, std::string_view endings) {
  while (!endings.empty())
    if (name.ends_with(take(endings, ' '))) return true;
  return false;
}

bool is_table(const ForeignFile& file) { return file.place >= Seen::table; }

bool has_words(const ForeignFile& file, std::string_view text) {
  return std::ranges::all_of(file.words,
                             [&](std::string_view word) { return text.find(word) != text.npos; });
}

bool has_line_of_words(const ForeignFile& file, std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = take(head, '\n');
    const bool is_json = line.find_first_of("{:") != line.npos;
    if (!is_json && has_words(file, line)) return true;
  }
  return false;
}

bool is_of_kind(const ForeignFile& file, std::string_view head) {
  constexpr std::size_t first_entry_byte = 100;
  if (file.begin.empty() && file.words[0].empty()) return false;
  if (is_table(file)) return has_line_of_words(file, head);
  if (!head.starts_with(file.begin)) return false;
  return has_words(file, file.place == Seen::head ? head : head.substr(0, first_entry_byte));
}

/// The first row of a text, or null.
const ForeignFile* row_of(std::string_view head, bool among_tables) {
  for (const ForeignFile& file : foreign_files)
    if (is_table(file) == among_tables && is_of_kind(file, head))
      return file.what.empty() ? nullptr : &file;
  return nullptr;
}

[[noreturn]] void refuse(const ForeignFile& file, const ByteStream& stream) {
  throw InputError(
      stream.name(), "",
      "this is " + std::string(file.what) + ", which is not read: " + std::string(file.to_do));
}

/// A byte that no text begins with, apart from a byte order mark.
bool is_binary(std::string_view mark) {
  return !mark.starts_with("\xEF\xBB") && std::ranges::any_of(mark, [](unsigned char byte) {
    return byte >= 0x80 || (byte < ' ' && byte != '\t' && byte != '\r' && byte != '\n');
  });
}

/// Binary files, by the end of their name or their first bytes. Throws InputError.
void refuse_binary_file(ByteStream& stream) {
  for (const ForeignFile& file : foreign_files)
    if (ends_with_any(stream.name(), file.name_endings)) refuse(file, stream);
  // A line from a pipe may be shorter than a binary file's begin.
  const std::string_view mark = stream.peek(2).substr(0, 2);
  const bool has_letters = mark == "SQ" || mark == "NV" || mark == "ft" || mark == "PK";
  if (!has_letters && !is_binary(mark)) return;
  const std::string_view head = stream.peek(head_byte);
  for (const ForeignFile& file : foreign_files)
    if (!file.begin.empty() && is_of_kind(file, head)) refuse(file, stream);
}

/// By its first bytes, apart from tables, which may stand among other tables that are read.
bool looks_like_foreign_file(std::string_view head) { return row_of(head, false) != nullptr; }

bool looks_like_foreign_table(std::string_view head) { return row_of(head, true) != nullptr; }

/// Nothing for a table without kernels (calls, agents) beside other inputs. Throws InputError.
NetworkSpecs refuse_foreign_file(ByteStream& stream, const InputSet& inputs) {
  const std::string_view head = stream.peek(head_byte);
  const ForeignFile* file = row_of(head, false);
  if (file == nullptr) file = row_of(head, true);
  if (file == nullptr)
    throw InputError(stream.name(), "", "expected another program's file, got something else");
  if (file->place == Seen::side && inputs.names().size() > 1) return {};
  refuse(*file, stream);
}

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
    {".csv", looks_like_csv, records<open_csv>, true},
    {".fdb.txt .ufdb.txt", looks_like_find_database, records<open_find_database>, true},
    {"", looks_like_miopen_driver, whole<read_miopen_driver>},
    {".pt2", looks_like_zip, whole<read_exported_programs>},
    {".onnx", onnx_graph::looks_like_model, whole<onnx_graph::read_onnx>},
    {".json", [](std::string_view) { return true; }, whole<read_json>},
};

bool has_extension(const InputFormat& format, std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return ends_with_any(name, format.extensions);
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

bool is_layer_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return std::ranges::any_of(
      input_table, [&](const InputFormat& format) { return has_extension(format, name); });
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
    std::ranges::sort(files_);
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
    if (name.ends_with(".py") && !looks_like_miopen_driver(stream->peek(head_byte)))
      throw InputError(name, "", std::string("expected a model, got a program: ") + export_lines);
    const InputFormat& format = format_of(*stream);
    return format.open(std::move(stream), inputs);
  });
}

}  // namespace roofline
