#include "profilers/nsight_metrics.hpp"

#include <algorithm>
#include <iterator>

#include "profilers/profiler_csv.hpp"

namespace roofline {
namespace {

constexpr double sector_byte = 32;
/// Of a warp's instruction on Volta's tensor cores, which have one shape only: Yang, Wang, Farrell
/// and others, "Hierarchical Roofline Performance Analysis for Deep Learning Applications", 2020.
constexpr double volta_flop_per_instruction = 512;

/// "Kbyte/s", "us", "nsecond", "Ghz" in bytes, seconds and hertz; any other unit is kept.
double scale_of(std::string_view unit) {
  unit = unit.substr(0, unit.find('/'));
  struct Scale {
    std::string_view unit;
    double factor;
  };
  constexpr Scale time_units[] = {{"s", 1},          {"second", 1},     {"ms", 1e-3},
                                  {"msecond", 1e-3}, {"us", 1e-6},      {"usecond", 1e-6},
                                  {"ns", 1e-9},      {"nsecond", 1e-9}, {"%", 1e-2}};
  for (const Scale& each : time_units)
    if (unit == each.unit) return each.factor;
  constexpr Scale prefixes[] = {{"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"P", 1e15}};
  for (const Scale& each : prefixes)
    if (unit.size() > 1 && unit.starts_with(each.unit)) return each.factor;
  return 1;
}

std::optional<double> sum_of(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a) return b;
  return b ? std::optional(*a + *b) : a;
}

std::optional<double> scaled(const std::optional<double>& a, double factor) {
  return a ? std::optional(*a * factor) : std::nullopt;
}

/// What tensor cores multiply, by the operands in the metrics' names; the first name of a row that
/// was recorded counts.
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

}  // namespace

void NsightMetrics::set(std::string_view name, std::string_view unit, std::string_view value) {
  if (name == "device__attribute_display_name") device_ = value;
  if (const std::optional<double> number = profiler_number(value))
    if (*number >= 0) values_.insert_or_assign(std::string(name), *number * scale_of(unit));
}

std::optional<double> NsightMetrics::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> NsightMetrics::first_of(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names)
    if (const auto value = find(name)) return value;
  return std::nullopt;
}

std::optional<double> NsightMetrics::time_s() const {
  // The last one is the name on the page of details.
  return first_of({"gpu__time_duration.sum", "gpu__time_duration.max", "gpu__time_duration.avg",
                   "gpu__time_duration", "Duration"});
}

std::optional<double> NsightMetrics::occupancy() const {
  return first_of({"sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved Occupancy"});
}

std::optional<double> NsightMetrics::registers() const {
  return first_of({"launch__registers_per_thread", "Registers Per Thread"});
}

/// Over the launch, from whichever of its forms was recorded.
std::optional<double> NsightMetrics::total(const std::string& metric) const {
  if (const auto value = find(metric + ".sum")) return value;
  if (const auto rate = find(metric + ".sum.per_second"); rate && time_s())
    return *rate * *time_s();
  const std::string unit = metric.substr(0, metric.find("__"));
  const auto cycles = first_of({unit + "__cycles_elapsed.avg", unit + "__cycles_elapsed.max"});
  if (const auto rate = find(metric + ".sum.per_cycle_elapsed"); rate && cycles)
    return *rate * *cycles;
  return std::nullopt;
}

std::optional<double> NsightMetrics::instructions(std::string_view operation) const {
  for (const std::string_view unit : {"sm", "smsp"})
    if (const auto count = total(std::string(unit) + "__sass_thread_inst_executed_op_" +
                                 std::string(operation) + "_pred_on"))
      return count;
  return std::nullopt;
}

/// Of adds, multiplies and fused multiply-adds of one type, whose names begin with its letter. An
/// instruction does so many of them at once.
std::optional<double> NsightMetrics::vector_flop(std::string_view letter,
                                                 double per_instruction) const {
  const std::string type(letter);
  const auto fma = instructions(type + "fma");
  return scaled(
      sum_of(sum_of(scaled(fma, 2), instructions(type + "add")), instructions(type + "mul")),
      per_instruction);
}

std::optional<double> NsightMetrics::operations(std::string_view operands) const {
  if (operands.empty()) return std::nullopt;
  const std::string metric = "sm__ops_path_tensor_" + std::string(operands);
  if (const auto count = total(metric)) return count;
  return sum_of(total(metric + "_sparsity_off"), total(metric + "_sparsity_on"));
}

/// Sums in fp16 have a metric of their own only where there is none of all fp16 operands.
void NsightMetrics::add_tensor_flop(EnumArray<Engine, std::optional<double>>& flop) const {
  for (const TensorWork& work : tensor_works) {
    flop[work.engine] = operations(work.operands);
    if (!flop[work.engine]) flop[work.engine] = operations(work.other_name);
  }
  if (!operations("src_fp16"))
    flop[Engine::fp16_tensor_fp16_accumulate] = operations("src_fp16_dst_fp16");
}

/// Instructions of tensor cores without a count of their operations. Packed fp16 arithmetic
/// (hfma2) goes through the same pipe and is counted with the vector units'.
bool NsightMetrics::has_uncounted_tensor_work() const {
  const auto all = total("sm__inst_executed_pipe_tensor");
  const auto packed = total("sm__inst_executed_pipe_tensor_op_hmma_type_hfma2");
  return all.value_or(0) > packed.value_or(0);
}

KernelCounters NsightMetrics::counters(std::string_view compute_capability) const {
  KernelCounters counters;
  auto& flop = counters.flop;
  flop[Engine::fp64] = vector_flop("d", 1);
  flop[Engine::fp32] = vector_flop("f", 1);
  flop[Engine::fp16] = vector_flop("h", 2);  // instructions work on pairs
  add_tensor_flop(flop);
  const bool has_tensor_flop =
      std::any_of(std::begin(tensor_works), std::end(tensor_works),
                  [&](const TensorWork& work) { return flop[work.engine].has_value(); });
  if (!has_tensor_flop && has_uncounted_tensor_work()) {
    if (compute_capability == "7.0")
      flop[Engine::fp16_tensor] =
          scaled(total("sm__inst_executed_pipe_tensor"), volta_flop_per_instruction);
    else
      flop = {};
  }
  counters.dram_byte = total("dram__bytes");
  if (!counters.dram_byte)
    counters.dram_byte = sum_of(total("dram__bytes_read"), total("dram__bytes_write"));
  counters.l2_byte = total("lts__t_bytes");
  if (!counters.l2_byte) counters.l2_byte = scaled(total("lts__t_sectors"), sector_byte);
  if (!counters.l2_byte) counters.l2_byte = total("derived__lts__lts2xbar_bytes");
  return counters;
}

RecordedGpu NsightMetrics::gpu() const {
  RecordedGpu gpu;
  gpu.name = device_;
  const auto whole = [&](std::string_view name) {
    const auto value = find(name);
    return value && *value < 1e18 ? std::optional(static_cast<std::uint64_t>(*value))
                                  : std::nullopt;
  };
  gpu.sm_count = whole("device__attribute_multiprocessor_count");
  gpu.memory_byte = whole("device__attribute_total_memory");
  gpu.warp_size = whole("device__attribute_warp_size");
  return gpu;
}

}  // namespace roofline
