#include "input/foreign_files.hpp"

#include <algorithm>

#include "load/recording.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

using namespace std::string_view_literals;

/// The place of a file's words.
enum class Seen {
  head,
  first_entry,  ///< the name of a zip's, as archives of programs hold other archives
  table,        ///< the line of its columns, in CSV or printed
  side,         ///< a table without kernels: skipped beside other inputs
};

struct ForeignFile {
  std::string_view name_ending;  ///< enough by itself
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
constexpr std::string_view ncu_export = "print it with ncu --import FILE --page raw --csv";
constexpr std::string_view rocprof_export = "record with rocprofv3 --output-format csv or json";
constexpr std::string_view rocprof_file = "give the file of kernels beside it, *_kernel_trace.csv";
constexpr std::string_view other_profiler =
    "profile with Nsight Systems or rocprofv3, whose tables of kernels are read";
constexpr std::string_view tensorflow_trace = "a trace of TensorFlow or JAX";
constexpr std::string_view weights = "a file of weights (safetensors), without operators";
constexpr std::string_view torch_export =
    "save the model with torch.export.save(torch.export.export(model, (x,)), \"model.pt2\")";
constexpr std::string_view torch_record =
    "give the recording itself, of profile(..., record_shapes=True) and "
    "export_chrome_trace(\"FILE.json.gz\")";
constexpr std::string_view onnx_or_json = "convert it to ONNX, or write its layers as JSON";
constexpr std::string_view keras_export =
    "export the model with model.export(\"model.onnx\", format=\"onnx\")";
constexpr std::string_view tensorrt_export =
    "give what trtexec --exportLayerInfo=layers.json --profilingVerbosity=detailed "
    "--exportProfile=profile.json writes";

constexpr ForeignFile foreign_files[] = {
    {".nsys-rep", "", {}, "a report of Nsight Systems", nsys_export},
    {".qdrep", "", {}, "a report of Nsight Systems", nsys_export},
    {".ncu-rep", "", {}, "a report of Nsight Compute", ncu_export},
    {"", "NVR\0"sv, {}, "a report of Nsight Compute", ncu_export},
    {"",
     "SQLite format 3\0"sv,
     {"rocpd_"},
     "a database of rocprofv3",
     "turn it into CSV with rocpd convert --output-format csv"},
    {"",
     "SQLite format 3\0"sv,
     {},
     "an SQLite database",
     "if Nsight Systems wrote it, print its kernels with nsys stats --report cuda_gpu_trace "
     "--format csv; if rocprofv3 did, turn it into CSV with rocpd convert --output-format csv"},
    {".pftrace", "", {}, "a Perfetto trace", rocprof_export},
    {".xplane.pb", "", {}, "a profile of TensorFlow or JAX", other_profiler},
    {"", "", {"\"traceEvents\"", "\"deviceProperties\""}, "", ""},  // PyTorch's
    {"", "", {"\"traceEvents\"", "\"/host:CPU"}, tensorflow_trace, other_profiler},
    {"", "", {"\"traceEvents\"", "\"/device:"}, tensorflow_trace, other_profiler},
    {"", "", {"\"traceEvents\"", "\"hlo_module\""}, tensorflow_trace, other_profiler},
    {".safetensors", "", {}, weights, torch_export},
    {"", "", {"\0{\""sv, "\"dtype\"", "\"data_offsets\""}, weights, torch_export},
    {"", "\x89HDF\r\n", {}, "an HDF5 file, as Keras saves models", keras_export},
    {"", "ftrt", {}, "a serialized engine of TensorRT", tensorrt_export},
    {".engine", "", {}, "a serialized engine of TensorRT", tensorrt_export},
    {".plan", "", {}, "a serialized engine of TensorRT", tensorrt_export},
    {"",
     "PK\3\4",
     {"/data.pkl"},
     "a file of torch.save or torch.jit.save, without sizes of tensors",
     torch_export,
     Seen::first_entry},
    {"", "\x80\2", {}, "a pickle, as torch.save writes", torch_export},
    {"", "", {"&&&& RUNNING TensorRT.trtexec"}, "a log of trtexec", tensorrt_export},
    {"",
     "[",
     {"\"Session\"", "\"model_loading", "\"ph\""},
     "a profile of ONNX Runtime",
     "give the ONNX model that it ran"},
    {"",
     "{",
     {"\"schema\"", "\"pid\"", "\"nodes\""},
     "an execution trace of PyTorch, without times",
     "record with torch.profiler.profile(record_shapes=True) and export_chrome_trace"},
    {"", "{", {"\"class_name\"", "\"config\""}, "a Keras model's to_json()", keras_export},
    {"", "", {"(\n  (", "): "}, "a printed PyTorch model, without sizes of images", torch_export},
    {"", "|", {"| #parameters", "| #flops"}, "a table of fvcore, without strides", torch_export},
    {"",
     "-----",
     {"Layer (type)", "Output Shape"},
     "a torchsummary, without strides and kernel sizes",
     torch_export},
    {"", "=====", {"Layer (type"}, "a torchinfo summary, without kernel sizes", torch_export},
    {"", "Model: \"", {}, "a Keras summary, without kernel sizes", keras_export},
    {"", "", {"[convolutional]", "filters="}, "a network of Darknet", onnx_or_json},
    {"", "", {"bottom:", "top:", "type:"}, "a network of Caffe (prototxt)", onnx_or_json},
    {"",
     "Layer name",
     {"IFMAP Height", "Filter Height"},
     "a topology of SCALE-Sim",
     "name its columns name,h,w,r,s,c,k,stride"},

    {"",
     "",
     {"Total Time", ",Num Calls"},
     "Nsight Systems' table of calls",
     nsys_report,
     Seen::side},
    {"", "", {",Instances", "Range"}, "Nsight Systems' table of ranges", nsys_report, Seen::side},
    {"", "", {",Duration", ",Tid"}, "Nsight Systems' trace of the host", nsys_report, Seen::side},
    {"", "", {"Calls", "TotalDurationNs"}, "a table of sums of rocprof", rocprof_file, Seen::side},
    {"", "", {"Agent_Type", "Node_Id"}, "rocprofv3's list of agents", rocprof_file, Seen::side},
    {"", "", {"Function", "_Timestamp"}, "rocprofv3's trace of calls", rocprof_file, Seen::side},
    {"", "", {"Direction", "_Timestamp"}, "rocprofv3's trace of copies", rocprof_file, Seen::side},
    {"", "", {"Operation", "_Timestamp"}, "rocprofv3's allocations", rocprof_file, Seen::side},
    {"", "", {"KernelName", "BeginNs"}, "rocprof's table of kernels", rocprof_export, Seen::table},
    {"", "", {"Arch_VGPR"}, "rocprofiler-compute's table of kernels", rocprof_export, Seen::table},
    {"", "", {"Time(%)", "Calls", "Name"}, "a table of nvprof", nsys_record, Seen::table},
    {"", "", {"Self CPU", "Calls"}, "a table of key_averages()", torch_record, Seen::table},
    {"", "", {"(%)", "Total Time"}, "a printed table of Nsight Systems", nsys_export, Seen::table},
};

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

}  // namespace

void refuse_binary_file(ByteStream& stream) {
  for (const ForeignFile& file : foreign_files)
    if (!file.name_ending.empty() && stream.name().ends_with(file.name_ending))
      refuse(file, stream);
  // A line from a pipe may be shorter than a binary file's begin.
  const std::string_view mark = stream.peek(2).substr(0, 2);
  const bool has_letters = mark == "SQ" || mark == "NV" || mark == "ft" || mark == "PK";
  if (!has_letters && !is_binary(mark)) return;
  const std::string_view head = stream.peek(head_byte);
  for (const ForeignFile& file : foreign_files)
    if (!file.begin.empty() && is_of_kind(file, head)) refuse(file, stream);
}

bool looks_like_foreign_file(std::string_view head) { return row_of(head, false) != nullptr; }

bool looks_like_foreign_table(std::string_view head) { return row_of(head, true) != nullptr; }

NetworkSpecs refuse_foreign_file(ByteStream& stream, const InputSet& inputs) {
  const std::string_view head = stream.peek(head_byte);
  const ForeignFile* file = row_of(head, false);
  if (file == nullptr) file = row_of(head, true);
  if (file == nullptr)
    throw InputError(stream.name(), "", "expected another program's file, got something else");
  if (file->place == Seen::side && inputs.names().size() > 1) return {};
  refuse(*file, stream);
}

}  // namespace roofline
