// The fastest of a library's tiles.

#include <array>
#include <limits>

#include "kernel/dense/gemm_formulas.hpp"

namespace roofline {
namespace {

constexpr std::array<double, 12> split_counts{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128};

/// Splits beyond a full GPU only add partial sums.
bool may_split(const Product& p, double steps, double blocks, double slots, double split) {
  return p.may_split && split <= p.most_splits && steps >= 4 * split &&
         blocks <= std::min(2 * slots, p.most_split_blocks);
}

}  // namespace

TileMapping fastest_mapping(const Product& p, const ProductRates<double>& rates,
                            std::span<const TileKernel> tiles, const SmLimits& sm) {
  Planning trace;
  double best_s = std::numeric_limits<double>::infinity();
  const TileKernel* best_tile = nullptr;
  TileMapping best;
  for (const TileKernel& tile : tiles) {
    const TileCost<double> cost = tile_cost(p, rates, tile, trace);
    // No schedule beats all SMs busy all the time.
    if (cost.tiles * cost.steps * cost.step_s >= best_s * rates.sm_count) continue;
    const Occupancy resident =
        occupancy(sm, {tile.threads, tile.registers, tile_shared_byte(tile, p.element_byte)});
    if (resident.blocks == 0) continue;
    const double r = resident.blocks;
    for (const double split : split_counts) {
      if (split > 1 && !may_split(p, cost.steps, cost.tiles * split, r * rates.sm_count, split))
        break;
      const double time_s = schedule(p, rates, cost, split, r, trace).kernel_s;
      if (time_s >= best_s) continue;
      best_s = time_s;
      best_tile = &tile;
      best.split = split;
      best.occupancy = resident;
    }
  }
  if (best_tile == nullptr) best_tile = &tiles.front(), best.occupancy.blocks = 1;
  best.tile = *best_tile;
  best.shared_byte = tile_shared_byte(best.tile, p.element_byte);
  return best;
}

double peak_for_rate(const ResolvedModel& model, const EngineModel& engine,
                     double rate_flop_per_s) {
  Planning trace;
  Contraction x;
  x.is_convolution = false;
  x.pointwise = true;
  x.element_byte = operand_byte(engine.engine);
  const Product product = product_of(x, model, engine);
  const auto machine = machine_rates(model.machine, trace);
  const auto rates = product_rates(product, model, engine, machine, trace);
  // Rates are of the whole GPU. The best tile is one whose operands come fast enough, if any does.
  double best_share = 0;
  double best_fed_share = 0;
  for (const TileKernel& tile : library_tiles(*model.constants, engine.engine, x)) {
    const BlockResources block{tile.threads, tile.registers,
                               tile_shared_byte(tile, product.element_byte)};
    if (occupancy(model.machine.sm, block).blocks == 0) continue;
    const TileCost<double> cost = tile_cost(product, rates, tile, trace);
    const double flop = 2.0 * tile.m * tile.n * tile.k * machine.sm_count;
    const double share = flop / cost.math_s / engine.peak_flop_per_s;
    best_share = std::max(best_share, share);
    if (flop / cost.l2_s >= rate_flop_per_s) best_fed_share = std::max(best_fed_share, share);
  }
  if (best_fed_share > 0) return rate_flop_per_s / best_fed_share;
  return best_share > 0 ? rate_flop_per_s / best_share : rate_flop_per_s;
}

}  // namespace roofline
