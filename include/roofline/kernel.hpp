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
#include "roofline/roofline_point.hpp"

namespace roofline {

struct ResolvedModel;  // src/kernel/resolved_model.hpp

/// Immutable; copies share what they hold, and it owes nothing to the Gpu that it was made of.
class KernelModel {
 public:
  explicit KernelModel(ResolvedModel resolved);

  /// The GPU's name.
  const std::string& gpu() const;
  /// What the model takes for granted where the GPU's file is silent, a plain sentence each.
  const std::vector<std::string>& assumptions() const;

  const ResolvedModel& resolved() const { return *resolved_; }

 private:
  std::shared_ptr<const ResolvedModel> resolved_;
};

/// The GPU must hold constants, as those that load_gpu returns do.
Expected<KernelModel> kernel_model_of(const Gpu& gpu);

/// The same model under ceilings that were measured: what the best real kernels reach, not what
/// they fall short of. The bandwidth takes the place of the datasheet's times its practical share.
/// A peak is scaled so that a matrix product large enough to hide all else, on the best tile of the
/// library, runs at exactly that rate. What is absent stays as it was. Rates in FLOP/s and byte/s.
KernelModel with_sustained(const KernelModel& model, const EngineRates& peak_flop_per_s,
                           std::optional<double> bandwidth_byte_per_s);

/// Whether a layer's operands are in the L2 cache when its kernel starts, as far as they fit.
enum class CacheState : std::uint8_t { warm, cold };

/// What stands between the kernels of a run.
enum class LaunchProtocol : std::uint8_t {
  kernel,  ///< nothing: the durations that a profiler gives the kernels, without gaps between them
  graph,   ///< what the device needs to start the next kernel
  stream,  ///< library calls, one after the other
  eager,   ///< a framework's operators: each takes the host its time, and the GPU may wait for it
};

/// What an expected time under this protocol covers, in words.
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
  double host_operator_s = 0;  ///< of the host, an operator; eager only
  bool is_assumed = false;     ///< of a host that nobody described
  bool calls_graph = false;    ///< graph only: the host comes from the caller to the graph here
};

/// What the expected time is made of. Of resources that overlap, each has the share by which the
/// time falls where it alone is faster: of sqrt(a^2 + b^2), a has a^2 and b has b^2 of the squares.
enum class Limiter : std::uint8_t {
  math,          ///< the layer's own FLOP at the engine's practical rate
  instructions,  ///< what else its arithmetic units issue: operand loads, indices, conversions,
                 ///< copies
  dram,          ///< device memory
  l2,            ///< L2 cache
  in_flight,     ///< bytes under way to memory, too few for its latency to reach its rate
  tile_padding,  ///< arithmetic on partly filled tiles and padded channels
  last_wave,     ///< SMs idle in a partly filled last wave
  latency,       ///< chains of steps and starts of blocks that nothing hides
  launch,        ///< starting the kernels
  occupancy,     ///< too few resident blocks to hide latency
};

/// The same in a few words.
constexpr std::string_view meaning_of(Limiter limiter) {
  switch (limiter) {
    case Limiter::math: return "the layer's own FLOP";
    case Limiter::instructions: return "what else is issued";
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

/// A kernel as the model places it: the mapping, what it moves, and what its time is made of.
struct KernelPlan {
  Algorithm algorithm = Algorithm::implicit_gemm;
  /// The library's own name for it: of MIOpen's solver. Empty where a library has no such names.
  SharedValue<std::string> solver;
  std::array<std::uint64_t, 3> tile{0, 0,
                                    0};  ///< m, n, k of one block; zeros where there is no tile
  std::uint64_t split_k = 1;
  std::uint64_t threads = 0;  ///< a block
  std::uint64_t stages = 0;
  std::uint64_t registers = 0;           ///< a thread
  std::uint64_t shared_memory_byte = 0;  ///< a block
  std::uint64_t blocks = 0;
  std::uint64_t resident_blocks_per_sm = 0;
  double waves = 0;             ///< blocks / (SMs x resident blocks)
  double occupancy = 0;         ///< resident threads / the SM's most
  double tile_utilization = 1;  ///< useful share of the arithmetic issued
  double wave_utilization = 1;  ///< share of the time that an SM is busy, over all waves
  std::uint64_t kernels = 1;    ///< launches
  /// Device memory beside operands and result: sums of split-K, transformed tiles, operands and
  /// result in another layout.
  std::uint64_t workspace_byte = 0;

  double l2_byte = 0;
  double dram_read_byte = 0;
  double dram_write_byte = 0;
  std::optional<double> in_flight_byte_per_s;  ///< that its bytes in flight allow, where limited

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

/// The kernel that runs the layer's pass: the mapping that the layer states, or else the fastest
/// that the library of the GPU's architecture has. None for a layer that runs no kernel, and for a
/// contraction on an engine without a peak. An error, without a source, for a stated
/// mapping that cannot run. Allocates nothing.
Expected<std::optional<KernelPlan>> plan_kernel(const Layer& layer, const Counts& counts,
                                                Engine engine, const KernelModel& model,
                                                CacheState cache);

/// The plan of a graph's kernels as started in another way.
KernelPlan launched(KernelPlan plan, const KernelModel& model, const Launch& launch);

/// One number. Expressions have the numbers put in, six significant digits of each (whole numbers
/// all), in base units, and know + - x / ^, parentheses, max, min, ceil, floor and sqrt: "ceil(1568
/// / 128) x 2". Sizes and constants have no expression.
struct DerivationStep {
  std::string quantity;    ///< its name, which later steps do not repeat: they show the number
  std::string expression;  ///< empty where the number is given
  double value = 0;
  std::string unit;  ///< "s", "byte", "FLOP/s", ...; empty for counts and shares
  std::vector<std::string>
      origins;  ///< where the number, or the constants in the expression, come from
};

/// The steps from the layer's counts to its plan, the same numbers that plan_kernel returns. The
/// last ones are the parts of the time that are not 0, by the names of their limiters, and
/// "expected time", their sum. Empty where plan_kernel gives no plan; an error where that gives
/// one.
Expected<std::vector<DerivationStep>> derive_kernel(const Layer& layer, const Counts& counts,
                                                    Engine engine, const KernelModel& model,
                                                    CacheState cache);

}  // namespace roofline
