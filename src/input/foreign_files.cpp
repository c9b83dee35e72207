#include "input/foreign_files.hpp"

#include <algorithm>

#include "roofline/error.hpp"

namespace roofline {
namespace {

using namespace std::string_view_literals;

struct ForeignFile {
  std::string_view name_ending;  ///< enough by itself
  std::string_view begin;
  std::string_view words[3];  ///< all within the first bytes
  std::string_view what;
  std::string_view to_do;
  std::size_t begin_at = 0;
};

constexpr std::string_view nsys_export =
    "print its kernels with nsys stats --report cuda_gpu_trace --format csv";
constexpr std::string_view ncu_export = "print it with ncu --import FILE --page raw --csv";
constexpr std::string_view rocprof_export = "record with rocprofv3 --output-format csv or json";
constexpr std::string_view torch_export =
    "save the model with torch.export.save(torch.export.export(model, (x,)), \"model.pt2\")";
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
    {".xplane.pb",
     "",
     {},
     "a profile of TensorFlow or JAX",
     "profile with Nsight Systems or rocprofv3, whose tables of kernels are read"},
    {".safetensors", "", {}, "a file of weights (safetensors), without operators", torch_export},
    {"",
     "{\"",
     {"\"dtype\"", "\"data_offsets\""},
     "a file of weights (safetensors), without operators",
     torch_export,
     8},
    {"", "\x89HDF\r\n", {}, "an HDF5 file, as Keras saves models", keras_export},
    {"", "ftrt", {}, "a serialized engine of TensorRT", tensorrt_export},
    {".engine", "", {}, "a serialized engine of TensorRT", tensorrt_export},
    {".plan", "", {}, "a serialized engine of TensorRT", tensorrt_export},
    {"",
     "PK\3\4",
     {"/data.pkl"},
     "a file of torch.save or torch.jit.save, without sizes of tensors",
     torch_export},
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
    {"",
     "",
     {"[convolutional]", "filters="},
     "a network of Darknet",
     "convert it to ONNX, or write its layers as JSON"},
    {"",
     "",
     {"bottom:", "top:", "type:"},
     "a network of Caffe (prototxt)",
     "convert it to ONNX, or write its layers as JSON"},
    {"",
     "Layer name",
     {"IFMAP Height", "Filter Height"},
     "a topology of SCALE-Sim",
     "name its columns name,h,w,r,s,c,k,stride"},
};

/// A zip's first entry is meant, as archives of programs hold other archives.
std::string_view searched(const ForeignFile& file, std::string_view head) {
  constexpr std::size_t first_name_byte = 100;
  return file.begin.starts_with("PK") ? head.substr(0, first_name_byte) : head;
}

bool begins_as(const ForeignFile& file, std::string_view head) {
  if (file.begin.empty() && file.words[0].empty()) return false;
  return head.size() >= file.begin_at && head.substr(file.begin_at).starts_with(file.begin) &&
         std::ranges::all_of(file.words, [&](std::string_view word) {
           return searched(file, head).find(word) != head.npos;
         });
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
    if (!file.begin.empty() && begins_as(file, head)) refuse(file, stream);
}

bool looks_like_foreign_file(std::string_view head) {
  return std::ranges::any_of(foreign_files,
                             [&](const ForeignFile& file) { return begins_as(file, head); });
}

NetworkSpecs refuse_foreign_file(ByteStream& stream) {
  const std::string_view head = stream.peek(head_byte);
  for (const ForeignFile& file : foreign_files)
    if (begins_as(file, head)) refuse(file, stream);
  throw InputError(stream.name(), "", "expected another program's file, got something else");
}

}  // namespace roofline
