#pragma once

// The tile that a block of a product takes, and its split of k: as a user states them, or the
// fastest that a library has.
//
// Parts that a stated mapping leaves out: threads so that each holds 64 results (tensor cores:
// 128), 32 to 512; registers for those results, 64-bit ones twice, and 40 more; two stages; shared
// memory stages * (m + n) * k * bytes, of a direct convolution that of the patch under m outputs
// and its weights.

#include <cstdint>
#include <span>

#include "kernel/dense/product.hpp"
#include "kernel/machine/occupancy.hpp"

namespace roofline {

struct TileMapping {
  TileKernel tile{};
  double split = 1;  ///< of k, over blocks
  Occupancy occupancy{};
  std::uint64_t shared_byte = 0;  ///< of a block
  bool stated = false;            ///< by the layer
};

/// A stated mapping that no SM of the GPU can run: `limit` is exceeded by needed - available.
struct ImpossibleMapping {
  OccupancyLimit limit;
  std::uint64_t needed;
  std::uint64_t available;
};

/// Shared memory stated below what the stated tile's pipeline holds.
struct SmallSharedMemory {
  std::uint64_t needed;
  std::uint64_t stated;
};

/// The stated tile with its missing parts filled in. Requires mapping.tile.
TileKernel complete_tile(const KernelMapping& mapping, double element_byte, bool tensor);

/// The stated mapping of a product. Throws ImpossibleMapping or SmallSharedMemory.
TileMapping stated_mapping(const KernelMapping& mapping, const Product& product, const SmLimits& sm,
                           bool tensor);

/// Shared memory of a tile's pipeline. `patch_share`: see Product.
std::uint64_t tile_shared_byte(const TileKernel& tile, double element_byte, double patch_share = 1);

/// The list of a library's tiles for an engine and product.
std::span<const TileKernel> library_tiles(const ModelConstants& constants, Engine engine,
                                          const Contraction& x);

/// The fastest of the tiles and splits.
TileMapping fastest_mapping(const Product& product, const ProductRates<double>& rates,
                            std::span<const TileKernel> tiles, const SmLimits& sm);

/// The peak at which a product large enough to hide all else, on the best of the library's tiles,
/// runs at `rate_flop_per_s`.
double peak_for_rate(const ResolvedModel& model, const EngineModel& engine, double rate_flop_per_s);

}  // namespace roofline
