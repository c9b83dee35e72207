#include "model/kernel/gemm_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "model/kernel/rounding.hpp"

namespace roofline {
namespace {

/// Measured convolutions are as fast as others with dilation 6, not with 12.
constexpr double near_taps = 8;

constexpr std::array<double, 12> splits{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128};

/// Operands that all threads fetch from shared memory: each makes a square of outputs.
double operands_per_step(const TileKernel& tile) {
  const double results = static_cast<double>(tile.m) * tile.n;
  const double threads = std::min<double>(tile.threads, results);
  return 2 * std::sqrt(results / threads) * threads * tile.k;
}

TileCost cost_of(const GemmWork& work, const TileKernel& tile) {
  const double m = tile.m, n = tile.n, k = tile.k;
  TileCost cost;
  cost.overhead = 1 + work.operand_element * (1 / m + 1 / n);
  cost.math_s = 2 * m * n * k * work.second_per_flop * cost.overhead;
  cost.l2_s = (m * work.patch_share + n) * k * work.element_byte * work.second_per_l2_byte;
  cost.gather_s = (work.gather_n ? n : m) * k * work.second_per_gather;
  cost.shared_s = operands_per_step(tile) * work.element_byte * work.second_per_shared_byte;
  cost.step_s = std::max({cost.math_s, cost.l2_s, cost.gather_s, cost.shared_s});
  const double warps = tile.threads / 32.0;
  const double alone = std::max(1.0, work.schedulers / warps);
  cost.serial_s = std::max({cost.math_s * alone, cost.shared_s, work.step_latency_s});
  cost.store_s =
      m * n * std::max(work.result_byte * work.second_per_l2_byte, work.second_per_scatter);
  cost.steps = work.k_runs * divide_up(work.k / work.k_runs, k);
  cost.tiles = divide_up(work.m, m) * divide_up(work.n, n) * work.count;
  return cost;
}

double wave_s(const Schedule& s, double resident) {
  return std::max(resident * s.block_s, s.chain_s);
}

Schedule schedule(const GemmWork& work, const TileCost& cost, double split, double resident) {
  Schedule s;
  s.blocks = cost.tiles * split;
  s.steps = divide_up(cost.steps, split);
  s.block_s = s.steps * cost.step_s + cost.store_s;
  s.chain_s = s.steps * cost.serial_s + work.block_latency_s;
  const double slots = work.sm_count * resident;
  s.full_waves = std::floor(s.blocks / slots);
  const double rest = s.blocks - s.full_waves * slots;
  s.last_blocks = divide_up(rest, work.sm_count);
  s.full_wave_s = wave_s(s, resident);
  if (rest > 0) s.last_wave_s = wave_s(s, s.last_blocks);
  if (split > 1) {
    s.partial_s = 8 * work.m * work.n * work.count * split * work.partial_second_per_byte;
    s.reduce_s = work.reduce_s;
  }
  s.kernel_s = s.full_waves * s.full_wave_s + s.last_wave_s + s.partial_s + s.reduce_s;
  return s;
}

}  // namespace

std::uint64_t tile_shared_byte(const TileKernel& tile, double element_byte, double patch_share) {
  const double rows = tile.m * patch_share + tile.n;
  const double byte = tile.stages * rows * tile.k * element_byte;
  return byte < 1e18 ? static_cast<std::uint64_t>(std::round(byte))
                     : std::uint64_t{1000000000000000000};
}

double resident_blocks(const GemmTime& time) {
  return std::max(1.0, static_cast<double>(time.occupancy.blocks));
}

double spread_steps(const GemmTime& time) {
  return time.schedule.blocks * time.schedule.steps / time.work.sm_count;
}

GemmTime gemm_time(const GemmWork& work, const TileKernel& tile, double split,
                   const Occupancy& resident) {
  GemmTime time;
  time.work = work;
  time.tile = tile;
  time.occupancy = resident;
  time.split = split;
  time.cost = cost_of(work, tile);
  const double r = resident_blocks(time);
  const Schedule s = time.schedule = schedule(work, time.cost, split, r);
  const double m = tile.m, n = tile.n;
  // Of operands and results that exist: partly filled tiles fetch and write no others.
  const double tiles_m = divide_up(work.m, m), tiles_n = divide_up(work.n, n);
  const double operands = (work.m * work.patch_share * tiles_n + work.n * tiles_m) * work.k;
  time.l2_byte =
      work.count * (operands * work.element_byte + work.m * work.n * split * work.result_byte);
  time.wave_utilization = s.blocks / (work.sm_count * (s.full_waves * r + s.last_blocks));
  const double issued = s.blocks * m * n * s.steps * tile.k;
  time.tile_utilization = std::min(1.0, work.m * work.n * work.k * work.count / issued);
  time.shared_byte = tile_shared_byte(tile, work.element_byte);
  return time;
}

GemmTime best_gemm(const GemmWork& work, std::span<const TileKernel> tiles, const SmLimits& sm) {
  double best_s = std::numeric_limits<double>::infinity();
  const TileKernel* best_tile = nullptr;
  Occupancy best_occupancy;
  double best_split = 1;
  for (const TileKernel& tile : tiles) {
    const TileCost cost = cost_of(work, tile);
    // No schedule beats all SMs busy all the time.
    if (cost.tiles * cost.steps * cost.step_s >= best_s * work.sm_count) continue;
    const Occupancy resident =
        occupancy(sm, {tile.threads, tile.registers, tile_shared_byte(tile, work.element_byte)});
    if (resident.blocks == 0) continue;
    const double r = resident.blocks;
    for (const double split : splits) {
      // Splits beyond a full GPU only add partial sums.
      if (split > 1 &&
          (!work.may_split || work.k < 4 * split * tile.k ||
           cost.tiles * split > std::min(2 * r * work.sm_count, work.most_split_blocks)))
        break;
      const double time_s = schedule(work, cost, split, r).kernel_s;
      if (time_s >= best_s) continue;
      best_s = time_s;
      best_tile = &tile;
      best_split = split;
      best_occupancy = resident;
    }
  }
  if (best_tile == nullptr) return gemm_time(work, tiles.front(), 1, {1});
  return gemm_time(work, *best_tile, best_split, best_occupancy);
}

void scale_rate(GemmWork& work, double kernel_share, double flop_ratio) {
  GemmRate& rate = work.rate;
  rate.kernel_share *= kernel_share;
  rate.flop_ratio *= flop_ratio;
  work.second_per_flop =
      work.sm_count * rate.flop_ratio /
      (rate.peak_flop_per_s * rate.math_share * rate.role_share * rate.kernel_share);
}

GemmWork gemm_work(const Contraction& x, const ResolvedModel& model, const EngineModel& engine) {
  const Machine& machine = model.machine;
  const DenseConstants& c = engine.constants;
  GemmWork work;
  const double role_share = x.role == Pass::dgrad   ? c.dgrad_share
                            : x.role == Pass::wgrad ? c.wgrad_share
                                                    : 1.0;
  work.m = x.m;
  work.n = x.n;
  work.k = x.issued_k;
  work.k_runs = x.k_runs;
  work.count = x.count;
  work.m_is = x.m_is;
  work.n_is = x.n_is;
  work.k_is = x.k_is;
  work.element_byte = x.element_byte;
  work.result_byte = x.result_byte;
  work.second_per_l2_byte = 1 / (model.memory.l2_operand_byte_per_clock_per_sm * machine.clock_hz);
  if (x.gathered)
    work.second_per_gather = 1 / (c.gather_per_clk_per_sm * x.gather_vector * machine.clock_hz *
                                  (x.role == Pass::wgrad ? c.wgrad_gather : 1));
  if (x.scattered) work.second_per_scatter = 1 / (c.scatter_per_clk_per_sm * machine.clock_hz);
  work.gather_n = x.role == Pass::wgrad;
  work.may_split = (x.role == Pass::wgrad || engine.features.split_k || !x.is_convolution) &&
                   !has_ragged_rows(x);
  work.operand_element = c.operand_element;
  work.step_latency_s =
      (x.pointwise ? c.step_latency_clk : c.window_step_latency_clk) / machine.clock_hz;
  work.block_latency_s =
      (c.block_latency_clk + (x.pointwise ? 0 : c.window_latency_clk)) / machine.clock_hz;
  work.schedulers = machine.sm.schedulers;
  work.sm_count = machine.sm_count;
  work.rate = {engine.peak_flop_per_s, c.math_share, role_share, 1, 1};
  scale_rate(work, !x.is_convolution        ? c.library_share
                   : x.dilation > near_taps ? c.dilated_share
                                            : 1);
  work.partial_second_per_byte = work.second_per_l2_byte / machine.sm_count;
  // The GEMM library splits a vector-engine product only until every SM has a block.
  if (!x.is_convolution && !is_tensor_engine(engine.engine))
    work.most_split_blocks = machine.sm_count;
  work.reduce_s = model.memory.launch_s + (x.pointwise ? c.extra_kernel_s : c.window_reduce_s);
  return work;
}

double peak_for_rate(const ResolvedModel& model, const EngineModel& engine,
                     double rate_flop_per_s) {
  const Machine& machine = model.machine;
  Contraction x;
  x.is_convolution = false;
  x.pointwise = true;
  x.element_byte = operand_byte(engine.engine);
  const GemmWork work = gemm_work(x, model, engine);
  // Rates are of the whole GPU. The best tile is one whose operands come fast enough, if any does.
  double best_share = 0;
  double best_fed_share = 0;
  for (const TileKernel& tile : library_tiles(model.constants->tiles, engine.engine, x)) {
    const BlockResources block{tile.threads, tile.registers,
                               tile_shared_byte(tile, work.element_byte)};
    if (occupancy(machine.sm, block).blocks == 0) continue;
    const TileCost cost = cost_of(work, tile);
    const double flop = 2.0 * tile.m * tile.n * tile.k * machine.sm_count;
    const double share = flop / cost.math_s / engine.peak_flop_per_s;
    best_share = std::max(best_share, share);
    if (flop / cost.l2_s >= rate_flop_per_s) best_fed_share = std::max(best_fed_share, share);
  }
  if (best_fed_share > 0) return rate_flop_per_s / best_fed_share;
  return best_share > 0 ? rate_flop_per_s / best_share : rate_flop_per_s;
}

}  // namespace roofline
