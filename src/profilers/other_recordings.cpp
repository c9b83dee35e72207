#include <algorithm>
#include <iterator>

#include "load/recording.hpp"
#include "profilers/formats.hpp"
#include "profilers/profiler_csv.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

constexpr std::string_view nsys_export =
    "print its kernels with nsys stats --report cuda_gpu_trace --format csv";
constexpr std::string_view nsys_record =
    "record with Nsight Systems, and print its kernels with nsys stats --report cuda_gpu_trace "
    "--format csv";
constexpr std::string_view rocprof_export = "record with rocprofv3 --output-format csv or json";

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

[[noreturn]] void refuse(const ByteStream& stream, std::string_view what, std::string_view to_do) {
  throw InputError(stream.name(), "",
                   "this is " + std::string(what) + ", which is not read: " + std::string(to_do));
}

}  // namespace

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
