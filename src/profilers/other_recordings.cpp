#include <algorithm>
#include <iterator>

#include "load/recording.hpp"
#include "profilers/formats.hpp"
#include "profilers/profiler_csv.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

using namespace std::string_view_literals;

struct BinaryRecording {
  std::string_view name_ending;
  std::string_view begin;
  std::string_view within;  ///< in the first bytes; empty: anything
  std::string_view what;
  std::string_view to_do;
};

constexpr std::string_view nsys_export =
    "print its kernels with nsys stats --report cuda_gpu_trace --format csv";
constexpr std::string_view nsys_record =
    "record with Nsight Systems, and print its kernels with nsys stats --report cuda_gpu_trace "
    "--format csv";
constexpr std::string_view ncu_export = "print it with ncu --import FILE --page raw --csv";
constexpr std::string_view rocprof_export = "record with rocprofv3 --output-format csv or json";

constexpr BinaryRecording binary_recordings[] = {
    {".nsys-rep", "", "", "a report of Nsight Systems", nsys_export},
    {".qdrep", "", "", "a report of Nsight Systems", nsys_export},
    {".ncu-rep", "", "", "a report of Nsight Compute", ncu_export},
    {"", "NVR\0"sv, "", "a report of Nsight Compute", ncu_export},
    {"", "SQLite format 3\0"sv, "rocpd_", "a database of rocprofv3",
     "turn it into CSV with rocpd convert --output-format csv"},
    {"", "SQLite format 3\0"sv, "", "an SQLite database",
     "if Nsight Systems wrote it, print its kernels with nsys stats --report cuda_gpu_trace "
     "--format csv; if rocprofv3 did, turn it into CSV with rocpd convert --output-format csv"},
    {".pftrace", "", "", "a Perfetto trace", rocprof_export},
    {".xplane.pb", "", "", "a profile of TensorFlow or JAX",
     "profile with Nsight Systems or rocprofv3, whose tables of kernels are read"},
};

/// Tables by some of their columns.
struct OtherTable {
  std::string_view columns[3];
  std::string_view what;
  std::string_view to_do;
  bool has_kernels = false;  ///< not skipped beside other inputs
};

constexpr std::string_view other_nsys_report =
    "give the one of --report cuda_gpu_trace or cuda_gpu_kern_sum";
constexpr std::string_view other_rocprof_file =
    "give the file of kernels beside it, *_kernel_trace.csv";

constexpr OtherTable other_tables[] = {
    {{"Total Time", "Num Calls", "Name"}, "Nsight Systems' table of calls", other_nsys_report},
    {{"Total Time", "Instances", "Range"}, "Nsight Systems' table of ranges", other_nsys_report},
    {{"Start", "Duration", "Tid"}, "Nsight Systems' trace of the host", other_nsys_report},
    {{"Name", "Calls", "TotalDurationNs"}, "a table of sums of rocprof", other_rocprof_file},
    {{"Agent_Type", "Node_Id", "Name"}, "rocprofv3's list of agents", other_rocprof_file},
    {{"Domain", "Function", "Start_Timestamp"}, "rocprofv3's trace of calls", other_rocprof_file},
    {{"Kind", "Direction", "Start_Timestamp"}, "rocprofv3's trace of copies", other_rocprof_file},
    {{"Kind", "Operation", "Start_Timestamp"}, "rocprofv3's allocations", other_rocprof_file},
    {{"KernelName", "BeginNs", "EndNs"}, "rocprof's table of kernels", rocprof_export, true},
    {{"Kernel_Name", "Start_Timestamp", "Arch_VGPR"},
     "rocprofiler-compute's table of kernels",
     rocprof_export,
     true},
    {{"Time(%)", "Calls", "Name"}, "a table of nvprof", nsys_record, true},
};

/// Printed tables, with blanks between columns.
constexpr OtherTable printed_tables[] = {
    {{"Self CPU", "Calls", "Name"},
     "a table of key_averages()",
     "give the recording itself, of profile(..., record_shapes=True) and "
     "export_chrome_trace(\"FILE.json.gz\")",
     true},
    {{"(%)", "Total Time", "Avg"}, "a printed table of Nsight Systems", nsys_export, true},
    {{"Time(%)", "Calls", "Name"}, "a table of nvprof", nsys_record, true},
};

bool has_printed_header(std::string_view head, Columns columns) {
  while (!head.empty()) {
    const std::string_view line = take(head, '\n');
    const auto is_in = [&](std::string_view text) { return line.find(text) != line.npos; };
    if (std::ranges::all_of(columns, is_in) && !is_in(",") && !is_in("\"")) return true;
  }
  return false;
}

const OtherTable* other_table(std::string_view head) {
  for (const OtherTable& table : other_tables)
    if (has_header(head, table.columns)) return &table;
  for (const OtherTable& table : printed_tables)
    if (has_printed_header(head, table.columns)) return &table;
  return nullptr;
}

bool is_of(const BinaryRecording& kind, std::string_view name, std::string_view head) {
  if (!kind.name_ending.empty()) return name.ends_with(kind.name_ending);
  return head.starts_with(kind.begin) && head.find(kind.within) != std::string_view::npos;
}

[[noreturn]] void refuse(const ByteStream& stream, std::string_view what, std::string_view to_do) {
  throw InputError(stream.name(), "",
                   "this is " + std::string(what) + ", which is not read: " + std::string(to_do));
}

}  // namespace

void refuse_binary_recording(ByteStream& stream) {
  // A line from a pipe may be shorter than a binary file's begin.
  const std::string_view mark = stream.peek(2);
  const bool may_be = mark.starts_with("SQ") || mark.starts_with("NV");
  const std::string_view head = may_be ? stream.peek(head_byte) : mark;
  for (const BinaryRecording& kind : binary_recordings)
    if (is_of(kind, stream.name(), head)) refuse(stream, kind.what, kind.to_do);
}

bool looks_like_tensorflow_trace(std::string_view head) {
  const auto has = [&](std::string_view text) { return head.find(text) != std::string_view::npos; };
  return has("\"traceEvents\"") && !has("\"deviceProperties\"") &&
         (has("\"/host:CPU") || has("\"/device:") || has("\"hlo_module\""));
}

NetworkSpecs refuse_tensorflow_trace(ByteStream& stream) {
  refuse(stream, "a trace of TensorFlow or JAX",
         "profile with Nsight Systems or rocprofv3, whose tables of kernels are");
}

bool looks_like_other_profiler_table(std::string_view head) { return other_table(head) != nullptr; }

NetworkSpecs read_other_profiler_table(ByteStream& stream, const InputSet& inputs) {
  const OtherTable& table = *other_table(stream.peek(head_byte));
  if (inputs.names().size() > 1 && !table.has_kernels) return {};
  refuse(stream, table.what, table.to_do);
}

}  // namespace roofline
