#include "model/kernel/given_mapping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace roofline {
namespace {

constexpr double shared_byte_per_clock_per_sm = 32 * 4;

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

GemmTime given_gemm(const KernelMapping& mapping, const Machine& machine, GemmWork work,
                    bool tensor) {
  const TileKernel tile = complete_tile(mapping, work.element_byte, tensor);
  if (!tensor) work.second_per_shared_byte = 1 / (shared_byte_per_clock_per_sm * machine.clock_hz);
  const std::uint64_t needed = tile_shared_byte(tile, work.element_byte, work.patch_share);
  const std::uint64_t shared = mapping.shared_memory_byte.value_or(needed);
  if (shared < needed) throw SmallSharedMemory{needed, shared};
  const Occupancy resident = occupancy(machine.sm, {tile.threads, tile.registers, shared});
  if (resident.blocks == 0)
    throw ImpossibleMapping{resident.limit, resident.needed, resident.available};
  const auto split = static_cast<double>(std::max<std::uint64_t>(mapping.split_k.value_or(1), 1));
  GemmTime time = gemm_time(work, tile, split, resident);
  time.shared_byte = shared;
  return time;
}

double patch_share(const Contraction& x, double outputs) {
  const double columns = std::min(x.out_w, std::ceil(std::sqrt(outputs)));
  const double rows = std::min(x.out_h, std::ceil(outputs / columns));
  const double stride = std::sqrt(x.stride);
  const double patch = ((rows - 1) * stride + (x.kernel_h - 1) * x.dilation + 1) *
                       ((columns - 1) * stride + (x.kernel_w - 1) * x.dilation + 1);
  return std::min(1.0, patch / (rows * columns * x.taps));
}

}  // namespace roofline
