#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "profilers/kernel_list.hpp"
#include "profilers/kernel_reader.hpp"
#include "profilers/profiler_csv.hpp"
#include "profilers/rocprofv3.hpp"

namespace roofline {
namespace {

constexpr std::string_view trace_columns[] = {"Kernel_Name", "Start_Timestamp", "End_Timestamp",
                                              "Kind"};
constexpr std::string_view counter_columns[] = {"Kernel_Name", "Dispatch_Id", "Counter_Name",
                                                "Counter_Value"};
constexpr std::string_view sum_columns[] = {"Name", "Calls", "TotalDurationNs"};
constexpr std::string_view agent_columns[] = {"Agent_Type", "Product_Name"};

/// Seconds between two time stamps in nanoseconds, which are too long for a double's digits.
class RocprofClock {
 public:
  void read(const ProfilerCsv& table, KernelLaunch& launch) {
    const std::uint64_t start = stamp(table, *table.find("Start_Timestamp"));
    const std::size_t end_column = *table.find("End_Timestamp");
    const std::uint64_t end = stamp(table, end_column);
    constexpr std::uint64_t longest_ns = std::uint64_t{366} * 86400 * 1000000000;
    if (end < start || end - start > longest_ns)
      throw table.error(end_column, "a time stamp in ns after the start");
    if (!first_) first_ = start;
    launch.kernel.time_s = static_cast<double>(end - start) * 1e-9;
    launch.start_s = start >= *first_ ? static_cast<double>(start - *first_) * 1e-9
                                      : static_cast<double>(*first_ - start) * -1e-9;
  }

 private:
  static std::uint64_t stamp(const ProfilerCsv& table, std::size_t column) {
    return table.whole(column, "a time stamp in ns");
  }

  std::optional<std::uint64_t> first_;
};

std::string triple(const ProfilerCsv& table, const std::string& name) {
  const std::string_view x = table.cell(table.find(name + "_X"));
  if (x.empty()) return std::string(table.cell(table.find(name)));
  return '(' + std::string(x) + ", " + std::string(table.cell(table.find(name + "_Y"))) + ", " +
         std::string(table.cell(table.find(name + "_Z"))) + ')';
}

KernelLaunch rocprof_launch_in(const ProfilerCsv& table) {
  KernelLaunch launch;
  launch.kernel.name = table.cell(table.find("Kernel_Name"));
  launch.kernel.grid = triple(table, "Grid_Size");
  launch.kernel.block = triple(table, "Workgroup_Size");
  launch.kernel.registers = profiler_number(table.cell(table.find("VGPR_Count")));
  launch.device = table.cell(table.find("Agent_Id"));
  return launch;
}

void read_trace(ByteStream& stream, BadRows& bad, KernelList& list) {
  ProfilerCsv table(stream, trace_columns);
  RocprofClock clock;
  while (table.next()) try {
      KernelLaunch launch = rocprof_launch_in(table);
      clock.read(table, launch);
      list.add(launch);
    } catch (const InputError& error) {
      bad.add(error);
    }
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
  while (table.next()) try {
      KernelLaunch launch;
      launch.kernel.name = table.cell(table.find("Name"));
      if (!is_kernel(launch.kernel.name)) continue;
      launch.kernel.launches = table.count(*table.find("Calls"));
      launch.kernel.time_s = table.seconds(*table.find("TotalDurationNs"));
      list.add(launch);
    } catch (const InputError& error) {
      bad.add(error);
    }
}

using CounterValues = std::map<std::string, double, std::less<>>;

/// A counter of waves' instructions counts one for the 64 lanes of a wave; one of matrix operations
/// counts in 512s (AMD, "MI300 performance counters" of the ROCm documentation).
constexpr double lanes = 64;
constexpr double matrix_operations = 512;

std::optional<double> counter_value(const CounterValues& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> vector_flop(const CounterValues& values, const std::string& type) {
  std::optional<double> flop;
  const auto add = [&](std::string_view operation, double each) {
    if (const auto count =
            counter_value(values, "SQ_INSTS_VALU_" + std::string(operation) + "_" + type))
      flop = flop.value_or(0) + each * lanes * *count;
  };
  add("ADD", 1);
  add("MUL", 1);
  add("TRANS", 1);
  add("FMA", 2);
  return flop;
}

KernelCounters counters_of(const CounterValues& values) {
  KernelCounters counters;
  const auto matrix = [&](const std::string& type) {
    const auto count = counter_value(values, "SQ_INSTS_VALU_MFMA_MOPS_" + type);
    return count ? std::optional(matrix_operations * *count) : std::nullopt;
  };
  counters.flop[Engine::fp64] = vector_flop(values, "F64");
  counters.flop[Engine::fp32] = vector_flop(values, "F32");
  counters.flop[Engine::fp16] = vector_flop(values, "F16");
  counters.flop[Engine::fp64_tensor] = matrix("F64");
  counters.flop[Engine::fp32_tensor] = matrix("F32");
  counters.flop[Engine::tf32] = matrix("XF32");
  counters.flop[Engine::fp16_tensor] = matrix("F16");
  counters.flop[Engine::bf16] = matrix("BF16");
  counters.flop[Engine::fp8] = matrix("F8");
  counters.flop[Engine::int8] = matrix("I8");
  constexpr double kib = 1024;
  const auto read = counter_value(values, "FETCH_SIZE");
  const auto written = counter_value(values, "WRITE_SIZE");
  if (read && written) counters.dram_byte = kib * (*read + *written);
  return counters;
}

/// A row for each counter of each dispatch; the rows of a dispatch need not follow each other.
void read_counters(ByteStream& stream, BadRows& bad, KernelList& list) {
  ProfilerCsv table(stream, counter_columns);
  const auto counter = *table.find("Counter_Name");
  const auto value = *table.find("Counter_Value");
  if (!table.find("Start_Timestamp") || !table.find("End_Timestamp"))
    throw InputError(stream.name(), "",
                     "expected Start_Timestamp and End_Timestamp, which later versions of "
                     "rocprofv3 write beside the counters");
  struct Dispatch {
    KernelLaunch launch;
    CounterValues values;
  };
  std::vector<Dispatch> dispatches;
  std::map<std::string, std::size_t> place_of;
  RocprofClock clock;
  while (table.next()) try {
      const std::string id = std::string(table.cell(table.find("Process_Id"))) + '/' +
                             std::string(table.cell(table.find("Dispatch_Id")));
      KernelLaunch launch = rocprof_launch_in(table);
      clock.read(table, launch);
      const std::optional<double> number = profiler_number(table.cell(value));
      if (!number || *number < 0) throw table.error(value, "a count");
      const auto [place, is_new] = place_of.try_emplace(id, dispatches.size());
      if (is_new) dispatches.push_back({std::move(launch), {}});
      dispatches[place->second].values[std::string(table.cell(counter))] += *number;
    } catch (const InputError& error) {
      bad.add(error);
    }
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
    if (table.cell(table.find("Agent_Type")) != "GPU") continue;
    const std::string_view product = table.cell(table.find("Product_Name"));
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
