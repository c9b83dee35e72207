#include "kernel/dense/tile_mapping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace roofline {
namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint32_t>::max();

/// Values past 32 bits stay past every limit of an SM.
std::uint32_t narrow_positive(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(value, 1, largest));
}

std::uint32_t default_threads(double results, double results_per_thread) {
  std::uint32_t threads = 32;
  while (threads < 512 && threads * results_per_thread < results) threads *= 2;
  return threads;
}

}  // namespace

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

TileMapping stated_mapping(const KernelMapping& mapping, const Product& product, const SmLimits& sm,
                           bool tensor) {
  TileMapping stated;
  stated.stated = true;
  stated.tile = complete_tile(mapping, product.element_byte, tensor);
  const std::uint64_t needed =
      tile_shared_byte(stated.tile, product.element_byte, product.patch_share);
  stated.shared_byte = mapping.shared_memory_byte.value_or(needed);
  if (stated.shared_byte < needed) throw SmallSharedMemory{needed, stated.shared_byte};
  stated.occupancy =
      occupancy(sm, {stated.tile.threads, stated.tile.registers, stated.shared_byte});
  if (stated.occupancy.blocks == 0)
    throw ImpossibleMapping{stated.occupancy.limit, stated.occupancy.needed,
                            stated.occupancy.available};
  stated.split = static_cast<double>(std::max<std::uint64_t>(mapping.split_k.value_or(1), 1));
  return stated;
}

std::uint64_t tile_shared_byte(const TileKernel& tile, double element_byte, double patch_share) {
  const double rows = tile.m * patch_share + tile.n;
  const double byte = tile.stages * rows * tile.k * element_byte;
  return byte < 1e18 ? static_cast<std::uint64_t>(std::round(byte))
                     : std::uint64_t{1000000000000000000};
}

}  // namespace roofline
