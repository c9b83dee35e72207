#include "model/kernel/given_mapping.hpp"

#include <algorithm>
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

GemmTime given_gemm(const KernelMapping& mapping, const SmLimits& sm, const GemmWork& work,
                    bool tensor) {
  const TileKernel tile = complete_tile(mapping, work.element_byte, tensor);
  const std::uint64_t shared =
      mapping.shared_memory_byte.value_or(tile_shared_byte(tile, work.element_byte));
  const Occupancy resident = occupancy(sm, {tile.threads, tile.registers, shared});
  if (resident.blocks == 0)
    throw ImpossibleMapping{resident.limit, resident.needed, resident.available};
  const auto split = static_cast<double>(std::max<std::uint64_t>(mapping.split_k.value_or(1), 1));
  GemmTime time = gemm_time(work, tile, split, resident);
  time.shared_byte = shared;
  return time;
}

}  // namespace roofline
