#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load/json.hpp"
#include "load/recording.hpp"
#include "model/recording.hpp"
#include "profilers/formats.hpp"
#include "profilers/profiler_csv.hpp"

namespace roofline {
namespace {

/// First time stamp, in ns: stamps exceed a double's digits, so starts count in seconds from it.
using FirstStamp = std::optional<std::uint64_t>;

/// Sets start and time; false for stamps out of order.
bool set_times(std::optional<std::uint64_t> start_ns, std::optional<std::uint64_t> end_ns,
               FirstStamp& first_ns, KernelLaunch& launch) {
  constexpr std::uint64_t longest_ns = std::uint64_t{366} * 86400 * 1000000000;
  if (!start_ns || !end_ns || *end_ns < *start_ns || *end_ns - *start_ns > longest_ns) return false;
  if (!first_ns) first_ns = start_ns;
  launch.kernel.time_s = static_cast<double>(*end_ns - *start_ns) * 1e-9;
  launch.start_s = static_cast<double>(static_cast<std::int64_t>(*start_ns - *first_ns)) * 1e-9;
  return true;
}

constexpr std::string_view trace_columns[] = {"Kernel_Name", "Start_Timestamp", "End_Timestamp",
                                              "Kind"};
constexpr std::string_view counter_columns[] = {"Kernel_Name", "Dispatch_Id", "Counter_Name",
                                                "Counter_Value"};
constexpr std::string_view agent_columns[] = {"Agent_Type", "Product_Name"};

std::string grid_in(const ProfilerCsv& table, std::string_view column) {
  const std::string name(column);
  const std::string_view x = table.cell(name + "_X");
  return x.empty() ? table.text(name)
                   : grid_text(x, table.cell(name + "_Y"), table.cell(name + "_Z"));
}

KernelLaunch launch_in(const ProfilerCsv& table, FirstStamp& first_ns) {
  KernelLaunch launch;
  launch.kernel.name = table.cell("Kernel_Name");
  launch.kernel.grid = grid_in(table, "Grid_Size");
  launch.kernel.block = grid_in(table, "Workgroup_Size");
  launch.kernel.registers = profiler_number(table.cell("VGPR_Count"));
  launch.device = table.cell("Agent_Id");
  const std::uint64_t start_ns = table.whole("Start_Timestamp", "a time stamp in ns");
  const std::uint64_t end_ns = table.whole("End_Timestamp", "a time stamp in ns");
  if (!set_times(start_ns, end_ns, first_ns, launch))
    throw table.error("End_Timestamp", "a time stamp in ns after the start");
  return launch;
}

void read_kernel_trace(ByteStream& stream, BadRows& bad, KernelList& list,
                       std::vector<std::string>& notes) {
  ProfilerCsv table(stream, trace_columns);
  FirstStamp first_ns;
  table.for_each_row(bad, [&] { list.add(launch_in(table, first_ns)); });
  table.note_others(notes);
}

// Wave instructions count for 64 lanes, matrix operations in 512s (AMD, "MI300 performance
// counters" of the ROCm documentation).
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

/// A row for each counter of each dispatch, in any order.
void read_counters(ByteStream& stream, BadRows& bad, KernelList& list,
                   std::vector<std::string>& notes) {
  ProfilerCsv table(stream, counter_columns);
  for (const std::string_view column : {"Start_Timestamp", "End_Timestamp"})
    if (!table.has(column))
      throw InputError(stream.name(), "",
                       "expected counters with the column " + std::string(column) +
                           ", got none: a newer rocprofv3 writes it");
  struct Dispatch {
    KernelLaunch launch;
    std::map<std::string, double, std::less<>> values;
  };
  std::vector<Dispatch> dispatches;
  std::map<std::string, std::size_t> place_of;
  FirstStamp first_ns;
  table.for_each_row(bad, [&] {
    const std::string id = table.text("Process_Id") + '/' + table.text("Dispatch_Id");
    KernelLaunch launch = launch_in(table, first_ns);
    const std::optional<double> number = profiler_number(table.cell("Counter_Value"));
    if (!number || *number < 0) throw table.error("Counter_Value", "a count");
    const auto [place, is_new] = place_of.try_emplace(id, dispatches.size());
    if (is_new) dispatches.push_back({std::move(launch), {}});
    dispatches[place->second].values[table.text("Counter_Name")] += *number;
  });
  table.note_others(notes);
  for (Dispatch& dispatch : dispatches) {
    dispatch.launch.kernel.counters = counters_of(dispatch.values);
    list.add(dispatch.launch);
  }
}

/// From the list of agents beside the file, if all GPUs have one name.
std::string gpu_beside(const std::string& file) try {
  std::string name;
  for (const std::string_view ending : {"kernel_trace.csv", "counter_collection.csv"}) {
    if (!file.ends_with(ending)) continue;
    const auto stream = open_stream(file.substr(0, file.size() - ending.size()) + "agent_info.csv");
    ProfilerCsv table(*stream, agent_columns);
    while (table.next()) {
      if (table.cell("Agent_Type") != "GPU") continue;
      if (!name.empty() && name != table.cell("Product_Name")) return "";
      name = table.cell("Product_Name");
    }
  }
  return name;
} catch (const InputError&) {
  return "";  // kernels are readable without it
}

constexpr std::string_view tool_key = "rocprofiler-sdk-tool";

std::uint64_t handle_of(const Value& id) { return id.find("handle").try_integer().value_or(0); }

std::string grid_in(const Value& sizes) {
  if (!sizes.is_object()) return "";
  const auto size = [&](std::string_view axis) {
    return std::to_string(sizes.find(axis).try_integer().value_or(0));
  };
  return grid_text(size("x"), size("y"), size("z"));
}

std::map<std::uint64_t, std::string> kernel_names(const Value& run) {
  std::map<std::uint64_t, std::string> names;
  for (const Value symbol : run.find("kernel_symbols")) {
    const std::string_view name = symbol.find("formatted_kernel_name").try_text();
    if (const auto id = symbol.find("kernel_id").try_integer())
      names[*id] = name.empty() ? symbol.find("kernel_name").try_text() : name;
  }
  return names;
}

void read_dispatches(const Value& run, BadRows& bad, KernelList& list) {
  const std::map<std::uint64_t, std::string> names = kernel_names(run);
  FirstStamp first_ns;
  std::size_t index = 0;
  for (const Value record : run.find("buffer_records").find("kernel_dispatch")) {
    const Value info = record.find("dispatch_info");
    const auto id = info.find("kernel_id").try_integer();
    const auto name = id ? names.find(*id) : names.end();
    KernelLaunch launch;
    const bool has_times = set_times(record.find("start_timestamp").try_integer(),
                                     record.find("end_timestamp").try_integer(), first_ns, launch);
    if (has_times && name != names.end()) {
      launch.kernel.name = name->second;
      launch.kernel.grid = grid_in(info.find("grid_size"));
      launch.kernel.block = grid_in(info.find("workgroup_size"));
      launch.device = std::to_string(handle_of(info.find("agent_id")));
      list.add(launch);
    } else {
      bad.add(run.origin().error("/" + std::string(tool_key) +
                                     "/0/buffer_records/kernel_dispatch/" + std::to_string(index),
                                 "expected the kernel_id of one of kernel_symbols, and "
                                 "start_timestamp and end_timestamp in ns, one after the other"));
    }
    ++index;
  }
}

RecordedGpu gpu_of(const Value& run, const std::string& device) {
  for (const Value agent : run.find("agents"))
    if (std::to_string(handle_of(agent.find("id"))) == device)
      return {std::string(agent.find("product_name").try_text()),
              agent.find("cu_count").try_integer(), std::nullopt,
              agent.find("wave_front_size").try_integer()};
  return {};
}

}  // namespace

bool looks_like_rocprofv3_csv(std::string_view head) {
  return has_header(head, counter_columns) || has_header(head, trace_columns);
}

NetworkSpecs read_rocprofv3_csv(ByteStream& stream, BadRows& bad) {
  KernelList list;
  KernelRecording recording;
  const bool has_counters = has_header(stream.peek(head_byte), counter_columns);
  (has_counters ? read_counters : read_kernel_trace)(stream, bad, list, recording.notes);
  recording.recorder = Recorder::rocprofv3;
  recording.gpu.name = gpu_beside(stream.name());
  list.fold_into(recording);
  return specs_of(std::move(recording), stream);
}

bool looks_like_rocprofv3_json(std::string_view head) {
  return head.find("\"rocprofiler-sdk-tool\"") != std::string_view::npos;
}

NetworkSpecs read_rocprofv3_json(ByteStream& stream, BadRows& bad) {
  const JsonDocument document(stream.read_rest(), {stream.name(), {}, stream.limits()});
  const Value runs = document.root().find(tool_key);
  if (!runs.is_array() || runs.size() == 0)
    throw document.origin().error("/" + std::string(tool_key),
                                  "expected a list of a process's records");
  KernelRecording recording;
  recording.recorder = Recorder::rocprofv3;
  KernelList list;
  read_dispatches(runs.at(0), bad, list);
  recording.gpu = gpu_of(runs.at(0), list.fold_into(recording));
  if (runs.at(0).find("callback_records").find("counter_collection").size() > 0)
    recording.notes.emplace_back("counters are read from CSV only: rocprofv3 --output-format csv");
  if (runs.size() > 1)
    recording.notes.push_back("the first of " + std::to_string(runs.size()) + " processes");
  return specs_of(std::move(recording), stream);
}

}  // namespace roofline
