
#include "kernel/dense/gemm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "model/layer_kind.hpp"
#include "roofline/error.hpp"

namespace roofline {
namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint32_t>::max();

/// Values past 32 bits stay beyond every limit of an SM.
std::uint32_t narrow_positive(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(value, 1, largest));
}

std::uint32_t default_threads(double results, double results_per_thread) {
  std::uint32_t threads = 32;
  while (threads < 512 && threads * results_per_thread < results) threads *= 2;
  return threads;
}

TileKernel complete_tile(const KernelMapping& mapping, double element_byte, bool tensor) {
  TileKernel tile{};
  tile.m = narrow_positive((*mapping.tile)[0]);
  tile.n = narrow_positive((*mapping.tile)[1]);
  tile.k = narrow_positive((*mapping.tile)[2]);
  const double results = static_cast<double>(tile.m) * tile.n;
  tile.threads = mapping.threads ? narrow_positive(*mapping.threads)
                                 : default_threads(results, tensor ? 128.0 : 64.0);
  const double registers = 40 + results / tile.threads * (element_byte == 8 ? 2 : 1);
  tile.registers = mapping.registers ? narrow_positive(*mapping.registers)
                                     : static_cast<std::uint32_t>(std::min(registers, 1e9));
  tile.stages = narrow_positive(mapping.stages.value_or(2));
  return tile;
}

/// Shared memory of a tile's pipeline. `patch_share`: see TileProduct.
std::uint64_t tile_shared_byte(const TileKernel& tile, double element_byte,
                               double patch_share = 1) {
  const double rows = tile.m * patch_share + tile.n;
  const double byte = tile.stages * rows * tile.k * element_byte;
  return byte < 1e18 ? static_cast<std::uint64_t>(std::round(byte))
                     : std::uint64_t{1000000000000000000};
}

/// Narrower types run on the tiles of one-byte types.
bool is_8bit(Engine engine) {
  return is_tensor_engine(engine) && facts_of(engine).operand_byte <= 1;
}

bool is_fp16_like(Engine engine) {
  return engine == Engine::fp16_tensor || engine == Engine::bf16 ||
         engine == Engine::fp16_tensor_fp16_accumulate;
}

TileList vector_list(Engine engine, const LayerProduct& x) {
  if (engine != Engine::fp32 || (!x.is_convolution && x.role != Pass::fwd))
    return TileList::vector_gemm;
  if (!x.is_convolution) return x.batched ? TileList::vector_matmul : TileList::vector_linear;
  return x.role == Pass::fwd     ? TileList::vector_fwd
         : x.role == Pass::dgrad ? TileList::vector_dgrad
                                 : TileList::vector_wgrad;
}

TileList gathered_list(Engine engine, const LayerProduct& x, double own_window) {
  if (x.role == Pass::wgrad) return TileList::gathered_wgrad;
  const bool has_own = x.problem->rank == 2 && x.problem->kernel_h == own_window &&
                       x.problem->kernel_w == own_window;
  return has_own && (is_fp16_like(engine) ||
                     (is_8bit(engine) && x.problem->kernels == KernelSource::inference_engine))
             ? TileList::gathered_window
             : TileList::gathered_fwd;
}

TileList tensor_list(Engine engine, const LayerProduct& x) {
  if (is_8bit(engine)) return has_ragged_rows(x) ? TileList::byte_unaligned : TileList::byte;
  if (!is_fp16_like(engine))
    return x.strided_dgrad() ? TileList::tf32_strided_dgrad : TileList::tf32;
  if (x.strided_dgrad()) return TileList::tensor_strided_dgrad;
  return x.pointwise ? TileList::tensor_gemm : TileList::tensor_window;
}

/// Lists of vector units come first.
TileList fallback(TileList list) {
  if (list < TileList::tensor_gemm) return TileList::vector_gemm;
  if (list == TileList::tensor_strided_dgrad) return TileList::tensor_window;
  if (list == TileList::tf32_strided_dgrad) return TileList::tf32;
  return list == TileList::byte_unaligned ? TileList::byte : TileList::tensor_gemm;
}

constexpr std::array<double, 12> split_counts{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128};

TileMapping mapping_of(const TileKernel& tile, const TileProduct& product, const SmLimits& sm) {
  TileMapping mapping;
  mapping.tile = tile;
  mapping.shared_byte = tile_shared_byte(tile, product.element_byte);
  mapping.occupancy = occupancy(sm, {tile.threads, tile.registers, mapping.shared_byte});
  return mapping;
}

/// Splits beyond a full GPU only add partial sums.
bool may_split(const TileProduct& product, double steps, double blocks, double slots,
               double split) {
  return product.may_split && split <= product.most_splits && steps >= 4 * split &&
         blocks <= std::min(2 * slots, product.most_split_blocks);
}

}  // namespace

TileMapping stated_mapping(const KernelMapping& mapping, const TileProduct& product,
                           const ResolvedModel& model, bool tensor) {
  TileMapping stated;
  stated.stated = true;
  stated.tile = complete_tile(mapping, product.element_byte, tensor);
  const std::uint64_t needed =
      tile_shared_byte(stated.tile, product.element_byte, product.patch_share);
  stated.shared_byte = mapping.shared_memory_byte.value_or(needed);
  if (stated.shared_byte < needed)
    throw InputError("expected at least " + std::to_string(needed) +
                     " bytes of shared memory a block, which the stated tile's stages hold, got " +
                     std::to_string(stated.shared_byte));
  const Occupancy& held = stated.occupancy =
      occupancy(model.machine.sm, {stated.tile.threads, stated.tile.registers, stated.shared_byte});
  if (held.blocks == 0)
    throw InputError("expected a mapping that " + model.gpu + " can run, got " +
                     std::to_string(held.needed) + " " + std::string(name_of(held.limit)) +
                     " where it has " + std::to_string(held.available) + ": " +
                     std::to_string(held.needed - held.available) + " too many");
  stated.split = static_cast<double>(std::max<std::uint64_t>(mapping.split_k.value_or(1), 1));
  return stated;
}

std::span<const TileKernel> library_tiles(const ModelConstants& constants, Engine engine,
                                          const LayerProduct& x) {
  const auto tiles = [&](TileList list) -> const std::vector<TileKernel>& {
    return constants.tiles[list];
  };
  const bool tensor = is_tensor_engine(engine);
  TileList list = tensor ? tensor_list(engine, x) : vector_list(engine, x);
  if (tensor && x.role == Pass::dgrad && !tiles(TileList::tensor_dgrad).empty())
    list = TileList::tensor_dgrad;
  if (tensor && x.role == Pass::wgrad && !x.pointwise && !tiles(TileList::tensor_wgrad).empty())
    list = TileList::tensor_wgrad;
  const TileList gathered = gathered_list(engine, x, constants.values.selection.gathered_window);
  if (x.gathered && x.is_convolution && !tiles(gathered).empty()) list = gathered;
  while (tiles(list).empty()) list = fallback(list);
  return tiles(list);
}

std::span<const TileKernel> older_tiles(const ModelConstants& constants, Engine engine,
                                        const LayerProduct& x) {
  if (is_8bit(engine) || !x.is_convolution || x.gathered) return {};
  const bool on_tensor = is_tensor_engine(engine);
  // The heuristic knows the newest kernels alone for volumes' weight gradients on vector units.
  if (!on_tensor && x.by_heuristic && x.problem->rank == 3 && x.role == Pass::wgrad) return {};
  if (!on_tensor) return library_tiles(constants, engine, x);
  const bool is_volume = x.problem->rank == 3 && x.role == Pass::fwd;
  // A heuristic's tiles are wide, however few blocks there are.
  const TileList wide =
      is_fp16_like(engine) ? TileList::heuristic_window : TileList::heuristic_tf32;
  if (picks_wide_tiles(x, constants.values.selection) && !constants.tiles[wide].empty() &&
      !(is_volume && wide == TileList::heuristic_window))
    return constants.tiles[wide];
  return constants.tiles[!is_fp16_like(engine) ? TileList::older_tf32
                         : x.strided_dgrad()   ? TileList::older_strided_dgrad
                         : is_volume           ? TileList::older_volume
                                               : TileList::older_window];
}

namespace {

constexpr double rounding = 1 - 1e-9;  ///< of a bound below a time

double flop_of(const TileProduct& product) {
  return 2 * product.m * product.n * product.k * product.count;
}

}  // namespace

double least_product_s(const TileProduct& product, const ProductRates<double>& rates) {
  return rounding * flop_of(product) * rates.second_per_flop / rates.sm_count;
}

TileMapping fastest_mapping(const TileProduct& product, const ProductRates<double>& rates,
                            std::span<const TileKernel> tiles, const SmLimits& sm, double limit_s) {
  Planning eval;
  std::array<TileMapping, 3> best;  // the fastest first, as far as product.faster_tiles
  std::size_t last = std::min(product.faster_tiles, best.size() - 1);
  // Slower tiles may still be among those that are faster than the one that runs.
  if (last > 0) limit_s = std::numeric_limits<double>::infinity();
  bool is_any_too_slow = false;
  const double flop_sm_s = rounding * flop_of(product) * rates.second_per_flop;
  const double element_sm_s = flop_sm_s * rates.operand_element;
  for (const TileKernel& tile : tiles) {
    // Less than the tile takes: the product's own FLOP, none on padding, with their operand loads.
    const double arithmetic_sm_s =
        flop_sm_s + element_sm_s * static_cast<double>(tile.m + tile.n) /
                        (static_cast<double>(tile.m) * static_cast<double>(tile.n));
    if (arithmetic_sm_s >= std::min(limit_s, best[last].time_s) * rates.sm_count) {
      is_any_too_slow = is_any_too_slow || std::isfinite(limit_s);
      continue;
    }
    const TileCost<double> cost = tile_cost(product, rates, tile, eval);
    // No schedule is faster than all SMs busy all the time.
    const double least_sm_s = cost.tiles * cost.steps * cost.step_s;
    if (std::isfinite(limit_s) && least_sm_s >= limit_s * rates.sm_count) is_any_too_slow = true;
    if (least_sm_s >= std::min(limit_s, best[last].time_s) * rates.sm_count) continue;
    TileMapping own = mapping_of(tile, product, sm);
    const double r = own.occupancy.blocks;
    if (r == 0) continue;
    for (const double split : split_counts) {
      if (split > 1 &&
          !may_split(product, cost.steps, cost.tiles * split, r * rates.sm_count, split))
        break;
      const double time_s = schedule(product, rates, cost, split, r, eval).kernel_s;
      if (time_s >= own.time_s) continue;
      own.time_s = time_s;
      own.split = split;
      own.blocks = cost.tiles * split;
    }
    if (own.time_s < best[last].time_s) best[last] = own;
    for (std::size_t i = last; i > 0 && best[i].time_s < best[i - 1].time_s; --i)
      std::swap(best[i], best[i - 1]);
  }
  // There is one good tile for a grid which leaves most SMs idle.
  if (3 * best.front().blocks < rates.sm_count) last = 0;
  while (last > 0 && std::isinf(best[last].time_s)) --last;
  if (is_any_too_slow || !std::isinf(best[last].time_s)) return best[last];
  // Lists are of narrower types: wider ones take shorter steps.
  TileMapping shorter;
  for (TileKernel tile : tiles) {
    while (tile.k > 1 && mapping_of(tile, product, sm).occupancy.blocks == 0) tile.k /= 2;
    if (mapping_of(tile, product, sm).occupancy.blocks == 0) continue;
    const TileMapping own = fastest_mapping(product, rates, {&tile, 1}, sm, limit_s);
    if (own.time_s < shorter.time_s) shorter = own;
  }
  if (!std::isinf(shorter.time_s)) return shorter;
  TileMapping none = mapping_of(tiles.front(), product, sm);
  none.occupancy.blocks = 1;
  none.time_s = gemm_time(product, rates, none, eval).schedule.kernel_s;
  return none;
}

double peak_for_rate(const ResolvedModel& model, const EngineModel& engine,
                     double rate_flop_per_s) {
  Planning eval;
  Problem problem;
  problem.element_byte = facts_of(engine.engine).operand_byte;
  const LayerProduct x(problem);
  const TileProduct product = tile_product(x, model, engine);
  const auto machine = machine_rates(model.machine, eval);
  const auto rates = product_rates(product, model, engine, machine, eval);
  // Rates are of the whole GPU. The best tile is one with fast enough operands, if there is one.
  double best_share = 0;
  double best_fed_share = 0;
  for (const TileKernel& tile : library_tiles(*model.constants, engine.engine, x)) {
    const BlockResources block{tile.threads, tile.registers,
                               tile_shared_byte(tile, product.element_byte)};
    if (occupancy(model.machine.sm, block).blocks == 0) continue;
    const TileCost<double> cost = tile_cost(product, rates, tile, eval);
    const double flop = 2.0 * tile.m * tile.n * tile.k * machine.sm_count;
    const double share = flop / cost.math_s / engine.peak_flop_per_s;
    best_share = std::max(best_share, share);
    if (flop / cost.l2_s >= rate_flop_per_s) best_fed_share = std::max(best_fed_share, share);
  }
  if (best_fed_share > 0) return rate_flop_per_s / best_fed_share;
  return best_share > 0 ? rate_flop_per_s / best_share : rate_flop_per_s;
}

}  // namespace roofline
