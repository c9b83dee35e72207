#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "load/kernel_list.hpp"
#include "profilers/formats.hpp"
#include "profilers/profiler_csv.hpp"

namespace roofline {
namespace {

constexpr std::string_view trace_columns[] = {"Kernel_Name", "Start_Timestamp", "End_Timestamp",
                                              "Kind"};
constexpr std::string_view counter_columns[] = {"Kernel_Name", "Dispatch_Id", "Counter_Name",
                                                "Counter_Value"};
constexpr std::string_view sum_columns[] = {"Name", "Calls", "TotalDurationNs"};
constexpr std::string_view agent_columns[] = {"Agent_Type", "Product_Name"};

/// Time stamps in ns, which are too long for a double's digits, as seconds after the first one that
/// was seen and between two of them.
class StampClock {
 public:
  /// False where the stamps are not one after the other.
  bool read(std::uint64_t start_ns, std::uint64_t end_ns, KernelLaunch& launch) {
    constexpr std::uint64_t longest_ns = std::uint64_t{366} * 86400 * 1000000000;
    if (end_ns < start_ns || end_ns - start_ns > longest_ns) return false;
    if (!first_ns_) first_ns_ = start_ns;
    launch.kernel.time_s = static_cast<double>(end_ns - start_ns) * 1e-9;
    launch.start_s = start_ns >= *first_ns_ ? static_cast<double>(start_ns - *first_ns_) * 1e-9
                                            : static_cast<double>(*first_ns_ - start_ns) * -1e-9;
    return true;
  }

 private:
  std::optional<std::uint64_t> first_ns_;
};

std::string grid_in(const ProfilerCsv& table, const std::string& name) {
  const std::string_view x = table.cell(name + "_X");
  return x.empty() ? table.text(name)
                   : grid_text(x, table.cell(name + "_Y"), table.cell(name + "_Z"));
}

KernelLaunch launch_in(const ProfilerCsv& table, StampClock& clock) {
  KernelLaunch launch;
  launch.kernel.name = table.cell("Kernel_Name");
  launch.kernel.grid = grid_in(table, "Grid_Size");
  launch.kernel.block = grid_in(table, "Workgroup_Size");
  launch.kernel.registers = profiler_number(table.cell("VGPR_Count"));
  launch.device = table.cell("Agent_Id");
  const std::uint64_t start_ns = table.whole("Start_Timestamp", "a time stamp in ns");
  const std::uint64_t end_ns = table.whole("End_Timestamp", "a time stamp in ns");
  if (!clock.read(start_ns, end_ns, launch))
    throw table.error("End_Timestamp", "a time stamp in ns after the start");
  return launch;
}

void read_trace(ByteStream& stream, BadRows& bad, KernelList& list) {
  ProfilerCsv table(stream, trace_columns);
  StampClock clock;
  table.for_each_row(bad, [&] { list.add(launch_in(table, clock)); });
}

/// The same table is written of calls on the host and of whole domains.
bool is_kernel(std::string_view name) {
  for (const std::string_view prefix : {"hip", "hsa_"})
    if (name.size() > prefix.size() && name.starts_with(prefix) &&
        name.find_first_of("(<") == std::string_view::npos)
      return false;
  return !name.empty() && name != "KERNEL_DISPATCH" && !name.ends_with("_API");
}

void read_kernel_sums(ByteStream& stream, BadRows& bad, KernelList& list) {
  ProfilerCsv table(stream, sum_columns);
  table.for_each_row(bad, [&] {
    KernelLaunch launch;
    launch.kernel.name = table.cell("Name");
    if (!is_kernel(launch.kernel.name)) return;
    launch.kernel.launches = table.count("Calls");
    launch.kernel.time_s = table.seconds("TotalDurationNs");
    list.add(launch);
  });
}

// A counter of waves' instructions counts one for the 64 lanes of a wave; one of matrix operations
// counts in 512s (AMD, "MI300 performance counters" of the ROCm documentation).
constexpr FlopCounter flop_counters[] = {{Engine::fp64, "SQ_INSTS_VALU_ADD_F64", 64},
                                         {Engine::fp64, "SQ_INSTS_VALU_MUL_F64", 64},
                                         {Engine::fp64, "SQ_INSTS_VALU_TRANS_F64", 64},
                                         {Engine::fp64, "SQ_INSTS_VALU_FMA_F64", 128},
                                         {Engine::fp32, "SQ_INSTS_VALU_ADD_F32", 64},
                                         {Engine::fp32, "SQ_INSTS_VALU_MUL_F32", 64},
                                         {Engine::fp32, "SQ_INSTS_VALU_TRANS_F32", 64},
                                         {Engine::fp32, "SQ_INSTS_VALU_FMA_F32", 128},
                                         {Engine::fp16, "SQ_INSTS_VALU_ADD_F16", 64},
                                         {Engine::fp16, "SQ_INSTS_VALU_MUL_F16", 64},
                                         {Engine::fp16, "SQ_INSTS_VALU_TRANS_F16", 64},
                                         {Engine::fp16, "SQ_INSTS_VALU_FMA_F16", 128},
                                         {Engine::fp64_tensor, "SQ_INSTS_VALU_MFMA_MOPS_F64", 512},
                                         {Engine::fp32_tensor, "SQ_INSTS_VALU_MFMA_MOPS_F32", 512},
                                         {Engine::tf32, "SQ_INSTS_VALU_MFMA_MOPS_XF32", 512},
                                         {Engine::fp16_tensor, "SQ_INSTS_VALU_MFMA_MOPS_F16", 512},
                                         {Engine::bf16, "SQ_INSTS_VALU_MFMA_MOPS_BF16", 512},
                                         {Engine::fp8, "SQ_INSTS_VALU_MFMA_MOPS_F8", 512},
                                         {Engine::int8, "SQ_INSTS_VALU_MFMA_MOPS_I8", 512}};

KernelCounters counters_of(const std::map<std::string, double, std::less<>>& values) {
  const auto value_of = [&](std::string_view name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  KernelCounters counters;
  add_flop(flop_counters, value_of, counters.flop);
  constexpr double kib = 1024;
  const auto read = value_of("FETCH_SIZE");
  const auto written = value_of("WRITE_SIZE");
  if (read && written) counters.dram_byte = kib * (*read + *written);
  return counters;
}

/// A row for each counter of each dispatch; the rows of a dispatch need not follow each other.
void read_counters(ByteStream& stream, BadRows& bad, KernelList& list) {
  ProfilerCsv table(stream, counter_columns);
  if (!table.has("Start_Timestamp") || !table.has("End_Timestamp"))
    throw InputError(stream.name(), "",
                     "expected Start_Timestamp and End_Timestamp, which later versions of "
                     "rocprofv3 write beside the counters");
  struct Dispatch {
    KernelLaunch launch;
    std::map<std::string, double, std::less<>> values;
  };
  std::vector<Dispatch> dispatches;
  std::map<std::string, std::size_t> place_of;
  StampClock clock;
  table.for_each_row(bad, [&] {
    const std::string id = table.text("Process_Id") + '/' + table.text("Dispatch_Id");
    KernelLaunch launch = launch_in(table, clock);
    const std::optional<double> number = profiler_number(table.cell("Counter_Value"));
    if (!number || *number < 0) throw table.error("Counter_Value", "a count");
    const auto [place, is_new] = place_of.try_emplace(id, dispatches.size());
    if (is_new) dispatches.push_back({std::move(launch), {}});
    dispatches[place->second].values[table.text("Counter_Name")] += *number;
  });
  for (Dispatch& dispatch : dispatches) {
    dispatch.launch.kernel.counters = counters_of(dispatch.values);
    list.add(dispatch.launch);
  }
}

/// The file beside it that lists the agents; empty where there is none.
std::string agents_beside(const std::string& file) {
  for (const std::string_view ending :
       {"kernel_trace.csv", "counter_collection.csv", "kernel_stats.csv"}) {
    if (!file.ends_with(ending)) continue;
    std::string agents = file.substr(0, file.size() - ending.size()) + "agent_info.csv";
    std::error_code error;
    if (std::filesystem::is_regular_file(agents, error)) return agents;
  }
  return "";
}

/// The GPU's name, where all GPUs of the machine have the same.
std::string gpu_beside(const std::string& file) try {
  const std::string agents = agents_beside(file);
  if (agents.empty()) return "";
  const std::unique_ptr<ByteStream> stream = open_stream(agents);
  ProfilerCsv table(*stream, agent_columns);
  std::string name;
  while (table.next()) {
    if (table.cell("Agent_Type") != "GPU") continue;
    const std::string_view product = table.cell("Product_Name");
    if (!name.empty() && name != product) return "";
    name = product;
  }
  return name;
} catch (const InputError&) {
  return "";  // the kernels can be read without it
}

NetworkSpecs read_rocprofv3_csv(ByteStream& stream, BadRows& bad) {
  const std::string_view head = stream.peek(head_byte);
  KernelList list;
  if (has_header(head, counter_columns))
    read_counters(stream, bad, list);
  else if (has_header(head, trace_columns))
    read_trace(stream, bad, list);
  else
    read_kernel_sums(stream, bad, list);
  KernelRecording recording;
  recording.recorder = "rocprofv3";
  recording.gpu.name = gpu_beside(stream.name());
  list.fold_into(recording);
  return specs_of(std::move(recording), stream);
}

}  // namespace

bool looks_like_rocprofv3_csv(std::string_view head) {
  return has_header(head, counter_columns) || has_header(head, trace_columns) ||
         has_header(head, sum_columns);
}

std::unique_ptr<Reader> open_rocprofv3_csv(std::unique_ptr<ByteStream> stream) {
  return open_whole(std::move(stream), read_rocprofv3_csv);
}

}  // namespace roofline
