#include <cctype>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load/recording.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"
#include "profilers/formats.hpp"
#include "profilers/profiler_csv.hpp"

namespace roofline {
namespace {

constexpr std::string_view common_columns[] = {"ID", "Kernel Name"};

constexpr double sector_byte = 32;
/// A warp's instruction on Volta's tensor cores, of one shape: Yang, Wang, Farrell and others,
/// "Hierarchical Roofline Performance Analysis for Deep Learning Applications", 2020.
constexpr double volta_flop_per_instruction = 512;

std::optional<double> sum_of(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a) return b;
  return b ? std::optional(*a + *b) : a;
}

// Threads' instructions on vector units; fp16 ones work on pairs.
constexpr FlopCounter vector_counters[] = {
    {Engine::fp64, "dfma", 2}, {Engine::fp64, "dadd", 1}, {Engine::fp64, "dmul", 1},
    {Engine::fp32, "ffma", 2}, {Engine::fp32, "fadd", 1}, {Engine::fp32, "fmul", 1},
    {Engine::fp16, "hfma", 4}, {Engine::fp16, "hadd", 2}, {Engine::fp16, "hmul", 2}};

/// Tensor cores' work by the operands in metrics' names; the first recorded name of a row counts.
struct TensorWork {
  Engine engine;
  std::string_view operands;
  std::string_view other_name;
};
constexpr TensorWork tensor_works[] = {
    {Engine::fp16_tensor, "src_fp16", "src_fp16_dst_fp32"},
    {Engine::bf16, "src_bf16_dst_fp32", "src_bf16"},
    {Engine::tf32, "src_tf32_dst_fp32", "src_tf32"},
    {Engine::fp64_tensor, "src_fp64", ""},
    {Engine::fp8, "src_fp8", "src_fp8_dst_fp32"},
    {Engine::int8, "src_int8", ""},
    {Engine::int4, "src_int4", ""},
};

class NsightMetrics {
 public:
  /// Skips cells without a number ("no data"), converts others to bytes, seconds, hertz and counts.
  /// An invalid one is an error when it is asked for.
  void set(std::string_view name, std::string_view unit, std::string_view value) {
    if (name == "device__attribute_display_name") device_ = value;
    if (value.empty() || std::isdigit(static_cast<unsigned char>(value.front())) == 0) return;
    const std::optional<double> number = profiler_number(value);
    const std::optional<double> factor = unit_factor(unit);
    Metric& metric = values_[std::string(name)];
    metric = {number.value_or(0) * factor.value_or(0), ""};
    if (!number)
      metric.problem = "expected a number such as 1,234.5, got " + in_quotes(value);
    else if (!factor)
      metric.problem = "expected a unit such as ns, byte or inst, got " + in_quotes(unit);
  }

  // nullopt if not recorded. The last names are from the page of details.
  std::optional<double> time_s() const {
    const auto time = first_of({"gpu__time_duration.sum", "gpu__time_duration.max",
                                "gpu__time_duration.avg", "gpu__time_duration", "Duration"});
    const auto cycles = find("sm__cycles_elapsed.avg");
    const auto rate = find("sm__cycles_elapsed.avg.per_second");
    return time || !cycles || !rate || *rate <= 0 ? time : std::optional(*cycles / *rate);
  }
  std::optional<double> occupancy() const {
    return first_of({"sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved Occupancy"});
  }
  std::optional<double> registers() const {
    return first_of({"launch__registers_per_thread", "Registers Per Thread"});
  }

  /// FLOP are unknown if tensor cores worked without a metric. `compute_capability`: "9.0".
  KernelCounters counters(std::string_view compute_capability) const {
    KernelCounters counters;
    counters.flop = flop(compute_capability);
    counters.dram_byte = total("dram__bytes");
    for (const std::string bytes : {"dram__bytes_", "dram__bytes_op_"})
      if (!counters.dram_byte)
        counters.dram_byte = sum_of(total(bytes + "read"), total(bytes + "write"));
    counters.l2_byte = total("lts__t_bytes");
    if (const auto sectors = total("lts__t_sectors"); !counters.l2_byte && sectors)
      counters.l2_byte = *sectors * sector_byte;
    if (!counters.l2_byte) counters.l2_byte = total("derived__lts__lts2xbar_bytes");
    return counters;
  }

  /// Packed fp16 arithmetic (hfma2) uses the same pipe but counts as vector work: without a count
  /// of its own, it was all work if as many whole warps ran it.
  bool has_uncounted_tensor_work() const {
    const double all = tensor_instructions("").value_or(0);
    constexpr double warp = 32;
    return all > tensor_instructions("_op_hmma_type_hfma2").value_or(0) &&
           all * warp != instructions("hfma");
  }

  RecordedGpu gpu() const {
    const auto whole = [&](std::string_view name) {
      const auto value = find(name);
      return value && *value < 1e18 ? std::optional(static_cast<std::uint64_t>(*value))
                                    : std::nullopt;
    };
    return {device_, whole("device__attribute_multiprocessor_count"),
            whole("device__attribute_total_memory"), whole("device__attribute_warp_size")};
  }

 private:
  using Flop = EnumArray<Engine, std::optional<double>>;

  struct Metric {
    double value;
    std::string problem;  ///< why there is no value
  };

  std::optional<double> find(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    if (!found->second.problem.empty())
      throw InputError("", "", std::string(name) + ": " + found->second.problem);
    return found->second.value;
  }

  std::optional<double> first_of(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names)
      if (const auto value = find(name)) return value;
    return std::nullopt;
  }

  /// Over the launch, from any recorded form.
  std::optional<double> total(const std::string& metric) const {
    if (const auto value = find(metric + ".sum")) return value;
    if (const auto rate = find(metric + ".sum.per_second"); rate && time_s())
      return *rate * *time_s();
    const std::string unit = metric.substr(0, metric.find("__"));
    const auto cycles = first_of({unit + "__cycles_elapsed.avg", unit + "__cycles_elapsed.max"});
    if (const auto rate = find(metric + ".sum.per_cycle_elapsed"); rate && cycles)
      return *rate * *cycles;
    return std::nullopt;
  }

  std::optional<double> instructions(std::string_view operation) const {
    for (const std::string unit : {"sm", "smsp"})
      if (const auto count =
              total(unit + "__sass_thread_inst_executed_op_" + std::string(operation) + "_pred_on"))
        return count;
    return std::nullopt;
  }

  std::optional<double> tensor_flop(std::string_view operands) const {
    if (operands.empty()) return std::nullopt;
    const std::string metric = "sm__ops_path_tensor_" + std::string(operands);
    if (const auto count = total(metric)) return count;
    return sum_of(total(metric + "_sparsity_off"), total(metric + "_sparsity_on"));
  }

  std::optional<double> tensor_instructions(const std::string& kind) const {
    const auto count = total("sm__inst_executed_pipe_tensor" + kind);
    return count ? count : total("smsp__inst_executed_pipe_tensor" + kind);
  }

  Flop flop(std::string_view compute_capability) const {
    Flop flop;
    add_flop(
        vector_counters, [&](std::string_view name) { return instructions(name); }, flop);
    bool has_tensor_flop = false;
    for (const TensorWork& work : tensor_works) {
      flop[work.engine] = tensor_flop(work.operands);
      if (!flop[work.engine]) flop[work.engine] = tensor_flop(work.other_name);
      has_tensor_flop = has_tensor_flop || flop[work.engine];
    }
    // Sums in fp16 have a metric of their own only without one for all fp16 operands.
    if (!tensor_flop("src_fp16"))
      flop[Engine::fp16_tensor_fp16_accumulate] = tensor_flop("src_fp16_dst_fp16");
    if (has_tensor_flop || !has_uncounted_tensor_work()) return flop;
    if (compute_capability != "7.0") return {};
    flop[Engine::fp16_tensor] = *tensor_instructions("") * volta_flop_per_instruction;
    return flop;
  }

  std::map<std::string, Metric, std::less<>> values_;
  std::string device_;
};

struct MeasuredLaunch {
  std::string id;  ///< its process' and own number; empty: none yet
  std::size_t line = 0;
  KernelLaunch launch;
  std::string compute_capability;
  NsightMetrics metrics;
};

class NsightComputeTable {
 public:
  NsightComputeTable(ByteStream& stream, BadRows& bad)
      : source_(stream.name()), table_(stream, common_columns), bad_(bad) {}

  KernelRecording read() {
    if (table_.has("Metric Name"))
      read_metrics();
    else
      read_launches();
    finish_launch();
    KernelRecording recording;
    recording.recorder = Recorder::nsight_compute;
    recording.gpu = std::move(gpu_);
    table_.note_others(recording.notes);
    if (uncounted_ > 0)
      recording.notes.push_back(
          "FLOP of " + std::to_string(uncounted_) +
          " launches are unknown: nothing says which instructions took the tensor cores' pipe; "
          "record sm__ops_path_tensor_src_* and sm__sass_thread_inst_executed_op_hfma_pred_on too, "
          "or --set roofline");
    list_.fold_into(recording);
    return recording;
  }

 private:
  /// A row for each metric, launch by launch.
  void read_metrics() {
    while (table_.next())
      if (begin_launch())
        launch_.metrics.set(table_.cell("Metric Name"), table_.cell("Metric Unit"),
                            table_.cell("Metric Value"));
  }

  /// A row for each launch, a column for each metric, units in the first row.
  void read_launches() {
    std::vector<std::string> units(table_.header().size());
    while (table_.next()) {
      const bool has_units = launch_.id.empty() && table_.cell("ID").empty();
      if (!has_units && !begin_launch()) continue;
      for (std::size_t i = 0; i < units.size(); ++i)
        if (has_units)
          units[i] = table_.cell(i);
        else
          launch_.metrics.set(table_.header()[i], units[i], table_.cell(i));
    }
  }

  /// False for a row of the profiled program's output.
  bool begin_launch() {
    const bool is_of_process =
        !table_.has("Process ID") || profiler_number(table_.cell("Process ID"));
    if (!is_of_process || !profiler_number(table_.cell("ID"))) {
      table_.pass_over();
      return false;
    }
    const std::string id = table_.text("Process ID") + '/' + table_.text("ID");
    if (id == launch_.id) return true;
    finish_launch();
    launch_.id = id;
    launch_.line = table_.line();
    launch_.launch.kernel.name = table_.cell("Kernel Name");
    launch_.launch.kernel.grid = table_.cell("Grid Size");
    launch_.launch.kernel.block = table_.cell("Block Size");
    launch_.launch.device = table_.cell("Device");
    launch_.compute_capability = table_.cell("CC");
    return true;
  }

  void finish_launch() {
    const auto [id, line, launch, capability, metrics] = std::exchange(launch_, MeasuredLaunch());
    if (id.empty()) return;
    try {
      add(launch, metrics, capability);
    } catch (const InputError& error) {
      bad_.add({source_, std::to_string(line), error.message});
    }
  }

  void add(KernelLaunch launch, const NsightMetrics& metrics, std::string_view capability) {
    const std::optional<double> time_s = metrics.time_s();
    if (!time_s || *time_s > s_per_year)
      throw InputError("", "",
                       "expected the launch's gpu__time_duration.sum, got none: record it with ncu "
                       "--metrics");
    launch.kernel.time_s = *time_s;
    launch.kernel.occupancy = metrics.occupancy();
    launch.kernel.registers = metrics.registers();
    launch.kernel.counters = metrics.counters(capability);
    if (!launch.kernel.counters.flop_in_all() && metrics.has_uncounted_tensor_work()) ++uncounted_;
    if (gpu_.name.empty()) gpu_ = metrics.gpu();
    list_.add(launch);
  }

  std::string source_;
  ProfilerCsv table_;
  BadRows& bad_;
  MeasuredLaunch launch_;
  KernelList list_;
  RecordedGpu gpu_;
  std::size_t uncounted_ = 0;  ///< launches with uncounted tensor FLOP
};

}  // namespace

bool looks_like_nsight_compute(std::string_view head) { return has_header(head, common_columns); }

NetworkSpecs read_nsight_compute(ByteStream& stream, BadRows& bad) {
  return specs_of(NsightComputeTable(stream, bad).read(), stream);
}

}  // namespace roofline
