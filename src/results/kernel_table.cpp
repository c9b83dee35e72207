#include "results/kernel_table.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "model/ranges.hpp"
#include "model/recording.hpp"
#include "results/steps.hpp"
#include "roofline/report.hpp"

namespace roofline {
namespace {

/// The GPU's engine for a counted one; without a peak, an engine which counters do not tell apart.
std::optional<Engine> engine_on(const EngineRates& peaks, Engine engine) {
  if (peaks[engine]) return engine;
  if (engine == Engine::fp16_tensor_fp16_accumulate && peaks[Engine::fp16_tensor])
    return Engine::fp16_tensor;
  if (engine == Engine::fp16 && peaks[Engine::fp32]) return Engine::fp32;
  return std::nullopt;
}

/// The engine with the longest time for its FLOP; without peaks, with the most FLOP.
struct BusiestEngine {
  std::optional<Engine> engine;
  double time_s = 0;
};

BusiestEngine busiest_engine(const KernelCounters& counters, const EngineRates* peaks) {
  BusiestEngine busiest;
  for (const Engine engine : enumerators<Engine>) {
    const double flop = counters.flop[engine].value_or(0);
    const auto on = peaks == nullptr ? std::optional(engine) : engine_on(*peaks, engine);
    if (flop <= 0 || !on) continue;
    const double time_s = flop / (peaks == nullptr ? 1 : *(*peaks)[*on]);
    if (time_s > busiest.time_s) busiest = {on, time_s};
  }
  return busiest;
}

std::optional<double> over(const std::optional<double>& a, double b) {
  if (!a || b <= 0 || !std::isfinite(*a / b)) return std::nullopt;
  return *a / b;
}

KernelRow measured_row(const RecordedKernel& kernel, double whole_s) {
  KernelRow row;
  row.kernel = kernel;
  row.time_share = share_of(kernel.time_s, whole_s);
  row.flop = kernel.counters.flop_in_all();
  row.flop_per_s = over(row.flop, kernel.time_s);
  row.dram_byte_per_s = over(kernel.counters.dram_byte, kernel.time_s);
  row.l2_byte_per_s = over(kernel.counters.l2_byte, kernel.time_s);
  row.intensity_flop_per_byte = over(row.flop, kernel.counters.dram_byte.value_or(0));
  row.l2_intensity_flop_per_byte = over(row.flop, kernel.counters.l2_byte.value_or(0));
  row.engine = busiest_engine(kernel.counters, nullptr).engine;
  return row;
}

void place(KernelRow& row, const Bounds& bounds) {
  const BusiestEngine busiest =
      busiest_engine(row.kernel.counters, &bounds.ceilings->peak_flop_per_s);
  if (busiest.engine) {
    row.engine = busiest.engine;
    row.roof_share[KernelRoof::compute] = over(busiest.time_s, row.kernel.time_s);
  }
  row.roof_share[KernelRoof::dram] =
      over(row.dram_byte_per_s, bounds.ceilings->bandwidth_byte_per_s);
  row.roof_share[KernelRoof::l2] = over(row.l2_byte_per_s, bounds.roofs->l2_byte_per_s);
  for (const KernelRoof roof : enumerators<KernelRoof>)
    if (row.roof_share[roof] &&
        (!row.nearest_roof || *row.roof_share[roof] > *row.roof_share[*row.nearest_roof]))
      row.nearest_roof = roof;
}

std::optional<Engine> main_engine_of(const std::vector<KernelRow>& rows, const EngineRates& peaks) {
  const KernelRow* most = nullptr;
  for (const KernelRow& row : rows)
    if (row.flop && (most == nullptr || *row.flop > *most->flop)) most = &row;
  if (most != nullptr)
    if (const auto engine = busiest_engine(most->kernel.counters, &peaks).engine) return engine;
  for (const Engine engine : {Engine::fp32, Engine::fp16_tensor})
    if (peaks[engine]) return engine;
  return std::nullopt;
}

}  // namespace

bool KernelCounters::any() const { return flop_in_all() || dram_byte || l2_byte; }

std::optional<double> KernelCounters::flop_in_all() const {
  std::optional<double> sum;
  for (const auto& each : flop)
    if (each) sum = sum.value_or(0) + *each;
  return sum;
}

bool KernelRecording::has_counters() const {
  return std::ranges::any_of(kernels,
                             [](const RecordedKernel& kernel) { return kernel.counters.any(); });
}

Expected<KernelTable> place_kernels(std::shared_ptr<const KernelRecording> recording,
                                    const Context* context) {
  if (recording == nullptr) return InputError("expected a recording of kernels, got none");
  KernelTable table;
  table.recording = std::move(recording);
  table.gpu = context != nullptr ? context->gpu.name : table.recording->gpu.name;
  const std::vector<RecordedKernel>& kernels = table.recording->kernels;
  table.time_s = sum_over(kernels, &RecordedKernel::time_s);
  table.launches = sum_over(kernels, &RecordedKernel::launches);
  table.rows = each_of(
      kernels, [&](const RecordedKernel& each) { return measured_row(each, table.time_s); });
  if (context == nullptr || !table.recording->has_counters()) return table;
  const auto engine = main_engine_of(table.rows, context->gpu.peak_flop_per_s);
  if (!engine) return table;
  table.bounds = Bounds{context->ceilings, roofs_of(*context), *engine, cache_byte_of(context->gpu),
                        std::nullopt};
  for (KernelRow& row : table.rows) place(row, *table.bounds);
  return table;
}

}  // namespace roofline
