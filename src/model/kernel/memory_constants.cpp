#include "model/kernel/memory_constants.hpp"

#include <algorithm>
#include <array>

#include "model/kernel/number_text.hpp"
#include "model/kernel/origins.hpp"

namespace roofline {
namespace {

// Hopper: measured on one H200 (driver 580, CUDA 13) in CUDA graphs.
//   dram_share: in-place ReLU, add and sum of 1 GiB move 4.19, 4.38 and 4.36 TB/s of 4.8 TB/s.
//   l2_byte_per_clock_per_sm: slope of time over bytes of in-place ReLU and sum between 8 and
//     32 MiB, 5.6 to 5.9 TB/s over 132 SMs at 1.98 GHz. l2_write_share: fill of 8 to 32 MiB.
//   l2_kept, l2_lost: copy and add keep their speed up to a working set of 36 MiB and have lost it
//     at 52 MiB, of 60 MiB: the two halves of the L2 hold some lines twice.
//   l2_dirty_share: output bytes that the counters of tests/measured miss at DRAM: 27 to 28.5
//   MB. latencies: floor of element-wise kernels above an empty one, and what cold operands add to
//   it. launch_s: an empty kernel in a CUDA graph.
// Others: the datasheet's ratios with Hopper's shares, except
//   Volta: dram_share 0.83 (790 of 900 GB/s, STREAM-like copies of public microbenchmarks; the V100
//     rows of DeepBench are consistent with 0.73 to 0.78); L2 64 B/clock/slice: about 14
//     B/clock/SM.
//   launch_s before Ampere 4.8 us: DeepBench times kernels in an ordinary stream (V100 rows).
constexpr double stream_launch_s = 4.8e-6;

constexpr const char* assumed = "assumed: like an H200, where the datasheet does not say";
constexpr const char* volta_origin =
    "public microbenchmarks and DeepBench on a V100, else assumed like an H200";

constexpr MemoryConstants hopper{
    0.88, 27,      0.43,    0.65,           0.72,
    0.45, 0.25e-6, 0.55e-6, graph_launch_s, "measured on an H200 in CUDA graphs"};

// In the order of Architecture.
constexpr std::array<MemoryConstants, architecture_count> table{{
    {0.75, 16, 0.8, 0.70, 1.0, 0.5, 0.35e-6, 0.7e-6, stream_launch_s, assumed},        // Kepler
    {0.80, 14, 0.8, 0.70, 1.0, 0.5, 0.30e-6, 0.6e-6, stream_launch_s, assumed},        // Maxwell
    {0.80, 16, 0.8, 0.70, 1.0, 0.5, 0.30e-6, 0.6e-6, stream_launch_s, assumed},        // Pascal
    {0.83, 14, 0.8, 0.70, 1.0, 0.5, 0.25e-6, 0.55e-6, stream_launch_s, volta_origin},  // Volta
    {0.83, 14, 0.8, 0.70, 1.0, 0.5, 0.25e-6, 0.55e-6, stream_launch_s, assumed},       // Turing
    {0.885, 22, 0.8, 0.60, 0.87, 0.45, 0.25e-6, 0.6e-6, graph_launch_s, assumed},      // Ampere
    {0.90, 14, 0.8, 0.70, 1.0, 0.5, 0.25e-6, 0.6e-6, graph_launch_s, assumed},         // Ada
    hopper,                                                                            // Hopper
    {0.885, 22, 0.8, 0.60, 0.87, 0.45, 0.25e-6, 0.65e-6, graph_launch_s, assumed},     // Blackwell
    {0.75, 16, 0.8, 0.70, 1.0, 0.5, 0.40e-6, 0.8e-6, 6e-6, assumed},                   // GCN
    {0.83, 16, 0.8, 0.70, 1.0, 0.5, 0.30e-6, 0.65e-6, stream_launch_s, assumed},       // RDNA
    {0.80, 16, 0.8, 0.70, 1.0, 0.5, 0.40e-6, 0.8e-6, 6e-6, assumed},                   // CDNA
    {0.83, 16, 0.8, 0.70, 1.0, 0.5, 0.30e-6, 0.65e-6, stream_launch_s, assumed},       // Xe
}};

constexpr double mib_byte = 1024.0 * 1024.0;

/// Narrow parts (few SMs for their bandwidth) still feed their memory: the L2 is at least a fifth
/// faster.
void feed_memory(MemorySystem& system) {
  system.l2_least_byte_per_s =
      std::max(system.l2_least_byte_per_s, 1.2 * system.bandwidth_byte_per_s);
  system.l2_byte_per_s = std::max(system.l2_byte_per_s, system.l2_least_byte_per_s);
}

double l2_size_byte_of(const Gpu& gpu, std::vector<std::string>& assumptions) {
  if (gpu.l2_byte) return std::max(static_cast<double>(*gpu.l2_byte), 0.25 * mib_byte);
  constexpr double usual_mib = 4;
  assumptions.push_back("l2_mib is not stated: " + number_text(usual_mib) + " MiB are assumed");
  return usual_mib * mib_byte;
}

void set_bandwidth(MemorySystem& system, double bandwidth_byte_per_s, double share) {
  system.bandwidth_byte_per_s = bandwidth_byte_per_s;
  system.dram_share = share;
  system.dram_byte_per_s = bandwidth_byte_per_s * share;
}

}  // namespace

const MemoryConstants& memory_constants(Architecture architecture) {
  return table[static_cast<std::size_t>(architecture)];
}

MemorySystem memory_system(const Gpu& gpu, const Machine& machine,
                           std::vector<std::string>& assumptions) {
  const MemoryConstants& c = memory_constants(machine.architecture);
  MemorySystem system;
  set_bandwidth(system, gpu.bandwidth_byte_per_s, gpu.kernel.dram_share.value_or(c.dram_share));
  system.l2_byte_per_clock_per_sm = c.l2_byte_per_clock_per_sm;
  system.l2_byte_per_s = c.l2_byte_per_clock_per_sm * machine.sm_count * machine.clock_hz;
  feed_memory(system);
  system.l2_write_share = c.l2_write_share;
  system.l2_size_byte = l2_size_byte_of(gpu, assumptions);
  system.l2_kept_byte = c.l2_kept_share * system.l2_size_byte;
  system.l2_lost_byte = c.l2_lost_share * system.l2_size_byte;
  system.l2_dirty_byte = c.l2_dirty_share * system.l2_size_byte;
  system.l2_latency_s = c.l2_latency_s;
  system.dram_latency_s = c.dram_latency_s;
  system.latency_scale = c.l2_latency_s / hopper.l2_latency_s;
  system.launch_s = gpu.kernel.launch_s.value_or(c.launch_s);
  system.origin = c.origin;
  system.share_origin = gpu.kernel.dram_share ? stated_origin : c.origin;
  system.launch_origin = gpu.kernel.launch_s ? stated_origin : c.origin;
  return system;
}

MemorySystem with_bandwidth(MemorySystem system, double sustained_byte_per_s) {
  set_bandwidth(system, sustained_byte_per_s, 1);
  system.bandwidth_origin = sustained_origin;
  system.share_origin = "a sustained ceiling is what streams reach";
  feed_memory(system);
  return system;
}

}  // namespace roofline
