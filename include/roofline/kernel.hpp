#pragma once

// The kernel model: where a real library kernel lands under the roofline, and why.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/enumeration.hpp"
#include "roofline/error.hpp"
#include "roofline/gpu.hpp"
#include "roofline/layer.hpp"
#include "roofline/library.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

struct ResolvedModel;

/// Immutable; copies share their content. Independent of the Gpu it was made from.
class KernelModel {
 public:
  explicit KernelModel(ResolvedModel resolved);

  const std::string& gpu() const;
  /// Assumptions in place of missing GPU data, one sentence each.
  const std::vector<std::string>& assumptions() const;

  const ResolvedModel& resolved() const { return *resolved_; }

 private:
  std::shared_ptr<const ResolvedModel> resolved_;
};

/// The GPU must hold constants, as from load_gpu.
Expected<KernelModel> kernel_model_of(const Gpu& gpu);

/// The model under measured ceilings: the rates which the best real kernels reach. The bandwidth
/// replaces the datasheet's times its practical share. A peak is scaled so that a matrix product
/// large enough to hide all else, on the library's best tile, runs at exactly this rate. Absent
/// values leave the model unchanged. Rates in FLOP/s and byte/s.
KernelModel with_sustained(const KernelModel& model, const EngineRates& peak_flop_per_s,
                           std::optional<double> bandwidth_byte_per_s);

/// The library, and its release, whose kernels run: the newest that data shows for the GPU's
/// architecture, or the one of with_library().
LibraryRelease library_of(const KernelModel& model);

/// The model of another release of its library. Throws InputError for another library.
KernelModel with_library(const KernelModel& model, const LibraryRelease& library);

/// The nearest release with other kernels: those from a later one on, else those before the latest
/// change.
struct OtherLibrary {
  LibraryRelease library;
  Release change;        ///< the first release with the later kernels
  bool is_older = true;  ///< `library` lies before the change
};

/// nullopt if no change is known.
std::optional<OtherLibrary> other_library(const KernelModel& model);

/// Whether operands are in L2 when a layer's kernel starts, as far as they fit.
enum class CacheState : std::uint8_t { warm, cold };

/// The clock of a GPU at the start of a layer alone: of a loop that runs it again and again, or of
/// a GPU that let its clock fall, as MIOpen's find step measures.
enum class ClockState : std::uint8_t { busy, idle };

/// Time between the kernels of a run.
enum class LaunchProtocol : std::uint8_t {
  kernel,  ///< none: a profiler's kernel durations, without gaps
  graph,   ///< the device's time to start the next kernel
  stream,  ///< library calls, one after the other
  eager,   ///< a framework's operators: each takes host time, and the GPU may wait for the host
};

/// Coverage of an expected time under this protocol, in words.
constexpr std::string_view meaning_of(LaunchProtocol protocol) {
  switch (protocol) {
    case LaunchProtocol::kernel: return "of the kernels alone, without gaps";
    case LaunchProtocol::graph: return "in a graph of kernels";
    case LaunchProtocol::stream: return "in a stream of library calls";
    case LaunchProtocol::eager: return "as eager operators";
  }
  return "";
}

struct Launch {
  LaunchProtocol protocol = LaunchProtocol::graph;
  double host_operator_s = 0;  ///< host time of one operator with its first kernel; eager only
  double host_kernel_s = 0;    ///< of each kernel after that
  bool is_assumed = false;     ///< of an assumed host
  bool calls_graph = false;    ///< graph only: here the host goes from the caller to the graph
  bool runs_engine = false;    ///< stream only: the calls are the layers of an inference engine
  bool from_idle = false;      ///< of a layer alone: a record, or a file of one layer
};

/// Parts of the expected time. Overlapping resources share the time by how much it would fall if
/// each were faster: for sqrt(a^2 + b^2), a has a^2 and b has b^2 of the squares.
enum class Limiter : std::uint8_t {
  math,  ///< the layer's own FLOP at the engine's practical rate
  /// Other instructions of the arithmetic units: operand loads, indices, conversions, copies.
  instructions,
  dram,
  l2,
  in_flight,     ///< too few bytes in flight to reach memory's rate at its latency
  tile_padding,  ///< arithmetic on partly filled tiles and padded channels
  last_wave,     ///< SMs idle in a partly filled last wave
  latency,       ///< unhidden chains of steps and starts of blocks
  launch,
  occupancy,  ///< too few resident blocks to hide latency
};

constexpr std::string_view meaning_of(Limiter limiter) {
  switch (limiter) {
    case Limiter::math: return "the layer's own FLOP";
    case Limiter::instructions: return "loads, addresses, conversions";
    case Limiter::dram: return "device memory";
    case Limiter::l2: return "L2 cache";
    case Limiter::in_flight: return "too few bytes under way for memory's latency";
    case Limiter::tile_padding: return "arithmetic on partly filled tiles";
    case Limiter::last_wave: return "SMs idle in the last wave";
    case Limiter::latency: return "chains of steps that nothing hides";
    case Limiter::launch: return "starting kernels";
    case Limiter::occupancy: return "too few resident blocks";
  }
  return "";
}

struct KernelPlan {
  double idle_ratio = 1;  ///< its time, from an idle GPU's clock, to that of a busy GPU
  Algorithm algorithm = Algorithm::implicit_gemm;
  Engine engine = Engine::fp32;  ///< on which it computes, whichever was asked for
  bool in_library = true;        ///< whether the library has it for the layer
  /// The library's own name (MIOpen's solver); empty if the library has no such names.
  SharedValue<std::string> solver;
  std::array<std::uint64_t, 3> tile{};  ///< m, n, k of one block; zeros where there is no tile
  std::uint64_t split_k = 1;
  std::uint64_t threads = 0;  ///< per block
  std::uint64_t stages = 0;
  std::uint64_t registers = 0;           ///< per thread
  std::uint64_t shared_memory_byte = 0;  ///< per block
  std::uint64_t blocks = 0;
  std::uint64_t resident_blocks_per_sm = 0;
  double waves = 0;             ///< blocks / (SMs x resident blocks)
  double occupancy = 0;         ///< resident threads / the SM's maximum
  double tile_utilization = 1;  ///< useful share of the issued arithmetic
  double wave_utilization = 1;  ///< busy share of an SM's time, over all waves
  std::uint64_t kernels = 1;    ///< launches
  /// Device memory beside operands and result: partial sums of split-K, transformed tiles, operands
  /// and result in another layout.
  std::uint64_t workspace_byte = 0;

  double l2_byte = 0;
  double dram_read_byte = 0;
  double dram_write_byte = 0;
  /// Rate allowed by the bytes in flight, if they limit it.
  std::optional<double> in_flight_byte_per_s;

  EnumArray<Limiter, double> part_s{};  ///< indexed by Limiter; each >= 0

  /// The sum of the parts, in order.
  double expected_time_s() const {
    double sum_s = 0;
    for (const double each : part_s) sum_s += each;
    return sum_s;
  }
  /// The largest part, the first of equals.
  Limiter limiter() const {
    return static_cast<Limiter>(std::max_element(part_s.begin(), part_s.end()) - part_s.begin());
  }
  /// The limiter's share of the expected time.
  double limiter_share() const {
    const double whole_s = expected_time_s();
    return whole_s > 0 ? part_s[limiter()] / whole_s : 0;
  }
  /// The library's own name where it has one, else the algorithm's.
  std::string_view name() const {
    return solver->empty() ? name_of(algorithm) : std::string_view(*solver);
  }
};

/// The kernel of the layer's pass: the stated mapping, else the fastest kernel in the library of
/// the GPU's architecture, or the one of its heuristic (KernelSource::heuristic). nullopt for a
/// layer without a kernel, and for a contraction on an engine without a peak. An error, without a
/// source, for an impossible mapping. Allocates nothing.
Expected<std::optional<KernelPlan>> plan_kernel(const Layer& layer, const Counts& counts,
                                                Engine engine, const KernelModel& model,
                                                CacheState cache);

/// The host's time for an operator with all its kernels; eager only.
double host_time_s(const KernelPlan& plan, const Launch& launch);

/// The plan with another launch protocol, from the plan in a graph.
KernelPlan launched(KernelPlan plan, const KernelModel& model, const Launch& launch);

}  // namespace roofline
