#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/accuracy.hpp"
#include "roofline/context.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/error.hpp"
#include "roofline/kernel.hpp"
#include "roofline/network.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

struct TraceSummary;

/// Parts of the time of a measured run. The sum of the kernels' time is measured and split by the
/// model; the time between and beside kernels is measured.
enum class StepPart : std::uint8_t {
  bound,         ///< the layers' roofline bounds, at most their measured time
  rates,         ///< arithmetic, memory and caches at less than the bound's rates
  instructions,  ///< other instructions of the kernels
  /// Starting, filling and draining: launch, latency, last wave, tile padding, occupancy.
  small_kernels,
  unexplained,    ///< measured time of layers beyond the expected time
  overcounted,    ///< layers that touched fewer bytes than are counted (BelowBound::fewer_bytes)
  other_kernels,  ///< kernels without a layer
  copies,         ///< copies over a link to host or GPU, with no other work beside them
  collectives,    ///< communication between GPUs, with no kernel beside it
  idle_host,      ///< as IdleCause
  idle_data_loading,
  idle_synchronisation,
  idle_queued,
};

constexpr std::string_view meaning_of(StepPart part) {
  switch (part) {
    case StepPart::bound: return "bound";
    case StepPart::rates: return "rates and caches";
    case StepPart::instructions: return "other instructions";
    case StepPart::small_kernels: return "starting and filling";
    case StepPart::unexplained: return "slower than the model";
    case StepPart::overcounted: return "layers that touch less than counted";
    case StepPart::other_kernels: return "kernels without a layer";
    case StepPart::copies: return "copies over a link";
    case StepPart::collectives: return "collectives";
    case StepPart::idle_host: return "waiting for the host's launches";
    case StepPart::idle_data_loading: return "waiting for data";
    case StepPart::idle_synchronisation: return "after synchronisations";
    case StepPart::idle_queued: return "launched work not yet started";
  }
  return "";
}

/// An action which would shorten a time, from the model or the recording.
struct Advice {
  std::string_view action;       ///< "larger_batch"
  std::string text;              ///< "batch 64 in place of 8"
  std::optional<double> time_s;  ///< for the same work; absent if almost nothing remains
  double speedup = 0;            ///< over the present time; 0 if time_s is absent
  // For measured runs only.
  double saved_s = 0;    ///< seconds a step, for the same work, by this action alone
  bool at_most = false;  ///< saved_s is the upper limit of the gain, not a prediction of the model
};

struct Verdict {
  double step_s = 0;  ///< step with its gaps and without its recorder, or measured layers
  /// The step as it was recorded, where that differs.
  std::optional<double> recorded_step_s;
  bool is_stated = false;  ///< step_s, by the user
  EnumArray<StepPart, double> part_s{};
  bool knows_gaps = false;  ///< step_s includes the time between kernels
  /// First the best action with unchanged work, then the others in descending order of saving.
  /// Actions gaining less than 3 % are left out.
  std::vector<Advice> actions;

  double idle_s() const {
    double sum_s = 0;
    for (const StepPart part : enumerators<StepPart>)
      if (part >= StepPart::idle_host) sum_s += part_s[part];
    return sum_s;
  }
  double layers_s() const {
    return part_s[StepPart::bound] + part_s[StepPart::rates] + part_s[StepPart::instructions] +
           part_s[StepPart::small_kernels] + part_s[StepPart::unexplained];
  }
};

/// Why a measured time is below the roofline, the least time with all work and all traffic to DRAM.
enum class BelowBound : std::uint8_t {
  fewer_macs,  ///< Winograd and FFT do fewer multiply-adds than are counted
  /// The bytes are an upper estimate (Counts::is_upper_estimate), so there is no bound.
  fewer_bytes,
  in_l2,             ///< all operands fit in L2: hardly any traffic to device memory
  ceilings_too_low,  ///< the GPU is faster than the stated ceilings
  impossible,        ///< clocks, caches and saved multiply-adds cannot explain it
};

/// Whether the layer has a kernel of its own. Views, fused layers and copies over the host link
/// have no kernel, and take their bound.
bool has_kernel(const Layer& layer);

struct OtherRelease {
  LibraryRelease used;  ///< by which the row is planned
  OtherLibrary library;
  double time_s = 0;
  Algorithm algorithm = Algorithm::implicit_gemm;
};

struct LayerResult {
  Layer layer;
  Counts counts;
  Engine engine = Engine::fp32;  ///< of the bound: fastest_engine() by the ceilings
  /// Asked of plan_kernel(): select_engine(), or fp32 where TF32 is hardly faster. The kernel may
  /// compute on another (KernelPlan::engine).
  Engine planned_engine = Engine::fp32;
  bool first_pass = true;  ///< the layer's first pass; parameters are summed over first passes only
  /// A batch norm which uses batch statistics only because all passes run.
  bool uses_batch_statistics = false;
  bool is_result = false;  ///< no layer of the network reads its output
  /// The layer's measured values of this row's GPU, batch and pass; the layer keeps what
  /// was measured on another GPU.
  SharedValue<Measured> measured;
  /// A measured time exists, but under other conditions than this row's.
  bool measured_left_out = false;
  std::optional<BelowBound> below_bound;  ///< reason for a measured time below the bound
  RooflinePoint point;
  SharedValue<std::string> fused_into;  ///< name of the layer whose kernel does this layer's work
  /// Names of the layers which produce the operands, "" for operands from elsewhere. Empty if all
  /// operands are from elsewhere.
  std::vector<std::string> input_from;
  std::optional<KernelPlan> kernel;  ///< absent if no kernel runs or GPU data is missing
  double assumed_host_s = 0;         ///< part of the expected time: the wait for an assumed host
  std::optional<Uncertainty> expected_uncertainty;  ///< present if a kernel runs
  /// The measured time, if measured under this row's conditions: batch, pass, GPU and cache state.
  std::optional<double> measured_time_s;
  /// Expected time of better_kernel(), if the library chose badly: it ran a naive kernel, or
  /// another algorithm, for longer than 95 of 100 runs of the better kernel would take, and at
  /// least twice as long unless the kernel is naive.
  std::optional<double> better_time_s;
  /// Time and kernel of a convolution in groups by other_library(), if it differs; of one layer,
  /// or where layers are explained, by make_report().
  std::optional<OtherRelease> other_release;
  /// Expected time under the other Tuning; absent if the heuristic was not measured.
  std::optional<double> other_tuning_s;
  std::optional<double> time_share;  ///< 0..1, of the network's time; absent in a stream

  /// The kernel's expected time, or the bound of a layer without a kernel; nullopt if GPU data is
  /// missing.
  std::optional<double> expected_time_s() const;
};

/// Whether all but one of the rows have no kernel: nothing warms the GPU up before it.
bool runs_one_kernel(std::span<const LayerResult> rows);

struct Total {
  std::uint64_t macs = 0;
  std::uint64_t flops = 0;
  std::uint64_t params = 0;
  std::uint64_t buffers = 0;
  Bytes bytes;
  double compute_time_s = 0;
  double memory_time_s = 0;
  double roofline_time_s = 0;
  std::optional<double> expected_time_s = 0;  ///< absent if a row has none
  std::optional<Uncertainty> expected_uncertainty;
  std::optional<double> measured_time_s = 0;  ///< absent if a row has none
  double lost_s = 0;                          ///< sum of roofline::lost_s over the rows
  bool is_overcounted = false;      ///< a row is below its bound by BelowBound::fewer_bytes
  double time_s = 0;                ///< expected times, or bounds of rows without one
  double compute_bound_part_s = 0;  ///< roofline_time_s of the compute-bound rows
  EnumArray<Limiter, double> part_s{};
};

struct TypeRow {
  LayerKind kind = LayerKind::conv;
  std::uint64_t rows = 0;
  Total total;
  double time_share = 0;  ///< 0..1, of the network's time
};

/// A layer slower than its bound: the reason and the remedy.
struct LostTime {
  std::size_t row = 0;
  std::size_t layers = 1;  ///< number of equal ones
  double lost_s = 0;       ///< measured time beyond the bound, over all of them
  std::string why;
  std::string help;  ///< the best of advise(); empty if nothing gains
};

struct BadChoices {
  std::size_t layers = 0;
  double measured_s = 0;
  double expected_s = 0;  ///< with the better algorithms

  double gain_s() const { return measured_s - expected_s; }
};

/// A recorded convolution that takes half as long again as it could, and 20 us more.
struct SlowConvolution {
  std::size_t row = 0;
  std::size_t layers = 1;  ///< number of equal ones
  std::string family;      ///< of its kernel, in words; empty if unknown
  std::optional<double>
      transforms_share;            ///< 0..1, of its time: kernels around the one that computes
  std::vector<std::string> traps;  ///< known causes
  std::vector<Advice> changes;     ///< faster ways, in descending order of saving
};

/// Where the measured time went, over rows with a measured and an expected time of the same work.
/// Measured time = sum of part_s + unexplained_s + not_split_s.
struct MeasuredSummary {
  std::uint64_t rows = 0;
  Total total;
  EnumArray<Limiter, double> part_s{};  ///< of the expected time
  double unexplained_s = 0;             ///< measured time beyond the expected
  /// Measured time beyond the bound of rows faster than expected, which the model cannot split.
  double not_split_s = 0;
  /// Rows left out of all these sums: they touched fewer bytes than are counted.
  std::uint64_t overcounted = 0;
  double overcounted_s = 0;         ///< measured time of those rows
  std::vector<TypeRow> types;       ///< in descending order of measured time
  std::vector<LostTime> most_lost;  ///< at most ten
  BadChoices bad_choices;
  std::vector<SlowConvolution> slow_convolutions;  ///< of a recording, the worst first
};

/// A batch chosen for the GPU.
enum class BatchGoal : std::uint8_t {
  max,   ///< the largest batch which fits
  best,  ///< the smallest batch within near_best_share of the least time an image
};

struct Setting {
  std::string source;
  std::string network;
  std::size_t item = 0;  ///< index among its source's networks
  /// The network's name; if it is not unique, the source, with "#2" within one source.
  std::string label;
  std::optional<DataType> dtype;       ///< absent if layers differ
  std::optional<std::uint64_t> batch;  ///< absent if layers differ
  std::optional<BatchGoal> batch_goal;
  /// All sequences' together, of a language model: one that begins with a lookup of its tokens
  /// and attends to them, or whose attention is causal.
  std::optional<std::uint64_t> tokens;
  bool training = false;
  std::optional<Framework> framework;
  RunsAs runs_as = RunsAs::layers;
  std::size_t layers = 0;    ///< evaluated; Result::layers may not be kept
  std::optional<Pass> pass;  ///< absent if layers differ, and in training
  /// The first convolution's, else the first norm of images': it decides on their kernels.
  std::optional<Layout> layout;
  std::string gpu;
  std::vector<GpuChange> gpu_changes;
  std::optional<std::uint64_t> gpu_memory_byte;
  std::uint64_t reserved_memory_byte = 0;  ///< part of it unavailable to networks
  std::optional<double> host_link_byte_per_s;
  std::optional<double> tdp_w;
};

/// Lower bounds on the time of a whole network, whatever it keeps in cache, unlike the sum of its
/// layers' rooflines (roofline_point.hpp). For a cache of C bytes:
///
///   compute = sum of FLOP / peak
///   fused   = max(compute, host copies, (W + I + O - K) / bandwidth)
///   cached  = max(fused, sum of max(FLOP / peak, ((R - C) + (S - C)) / bandwidth))
///
/// W, I, O: weights, the network's input and its result, each once. K: bytes of them left in cache
/// by an earlier run, C with warm caches and 0 with cold ones. R, S: bytes read and written by a
/// layer; the cache holds at most C bytes of R at its start and of S at its end. Differences below
/// 0 count as 0. So compute <= fused <= cached <= roofline. Layers with an upper estimate of bytes
/// (Counts::is_upper_estimate) have W, I, O, R and S = 0. Winograd and FFT need fewer FLOP than are
/// counted and may be below all bounds.
struct NetworkBounds {
  double compute_bound_s = 0;
  // Absent if the size of the cache is unknown.
  std::optional<double> fused_bound_s;
  std::optional<double> cached_bound_s;
  /// Why the expected time is below cached_bound_s: fewer_macs, or in_l2 if kernels are assumed to
  /// find their weights in cache (CacheState::warm) although all weights together do not fit.
  std::optional<BelowBound> expected_below;
};

struct Bounds {
  // One for all results under the same context: there may be many thousands of one layer.
  SharedValue<Ceilings> ceilings;
  SharedValue<Roofs> roofs;
  Engine main_engine = Engine::fp32;        ///< of most dense FLOP, else the first layer's
  std::optional<std::uint64_t> cache_byte;  ///< L2, plus an L3 behind it
  std::optional<NetworkBounds> network;     ///< present if layers read each other's outputs
};

/// Measured times faster than this GPU allows.
struct ImpossibleTimes {
  std::size_t rows = 0;
  std::size_t row = 0;  ///< the farthest below its limit, an index in the result's layers
  double least_s = 0;
  /// 10, 1000 or the batch, if times longer by this factor would be possible.
  std::optional<double> factor;
};

struct Measurement {
  /// One entry for each pass and data type; empty without measured times.
  std::vector<Accuracy> accuracy;
  std::uint64_t not_compared = 0;  ///< layers whose measured time matches no row
  std::optional<ImpossibleTimes> impossible;
  std::optional<MeasuredSummary> summary;  ///< without the impossible times
  std::optional<Verdict> verdict;          ///< present with summary
  /// A profiler's; expected times then cover kernels alone, without gaps.
  std::shared_ptr<const TraceSummary> recording;
};

/// What a step of a network takes under a named stack, beside a result of kernels alone.
struct StackStep {
  Framework framework;
  double time_s = 0;             ///< expected, with the host
  double kernels_s = 0;          ///< part of it in kernels
  std::optional<Layout> layout;  ///< as Setting::layout
};

struct Result {
  Setting setting;
  Bounds bounds;
  std::vector<LayerResult> layers;
  Total total;
  std::vector<TypeRow> types;  ///< in descending order of time
  Measurement measured;
  std::optional<Memory> memory;  ///< of a whole network; absent for records
  std::vector<StackStep> steps;  ///< of other stacks; empty unless they are asked for
};

/// Evaluates a network. Errors: the GPU has no peak for a layer's data type, a stated mapping
/// cannot run, no layer runs in this pass, or a total exceeds 64 bits.
Expected<Result> evaluate(Network network, const Context& context);

/// Evaluates layers alone, as records of a stream: rows without sums, shares and memory.
Expected<std::vector<LayerResult>> evaluate_layers(Network network, const Context& context);

/// What evaluate_layers() gave of the records of one input, in order, as one result. At least one
/// row. `total`: of all rows, where keep_leading() kept some of them.
Expected<Result> join_records(const std::string& source, const std::string& name,
                              std::vector<std::vector<LayerResult>> records, const Context& context,
                              const std::optional<Total>& total = {});

/// Throws OverflowError.
void add_to_total(Total& total, const LayerResult& row);

/// The kernel which the library should have run.
std::string_view better_kernel(const LayerResult& row);

/// Measured time beyond the bound; nullopt without a measured time or a bound.
std::optional<double> lost_s(const LayerResult& row);

/// Sets the GPU of measured times without one.
void set_measured_gpu(Network& network, const std::string& gpu);

/// Time of a layer in summaries: the expected time, else the roofline bound.
double time_s(const LayerResult& row);
constexpr double share_of(double part_s, double whole_s) {
  return whole_s > 0 ? part_s / whole_s : 0;
}

/// Lower bound on any kernel of the row but Winograd and FFT: NetworkBounds::cached_bound_s of the
/// layer alone. nullopt if the size of the cache is unknown or the bytes are an upper estimate.
std::optional<double> cached_bound_s(const LayerResult& row, const Bounds& bounds);

/// The smallest batch at which the layer is bound by compute, with weights read once whatever the
/// batch; nullopt if no batch is enough or the layer does no arithmetic.
std::optional<std::uint64_t> crossover_batch(const LayerResult& row);

/// Share of roofline time in compute-bound layers.
double compute_bound_share(const Result& result);

/// Peak device memory of the result's pass; nullopt if unknown.
std::optional<std::uint64_t> needed_memory_byte(const Result& result);
/// Device memory taken by the driver's context and the libraries' kernels and workspaces: a round
/// number by maker, at most an eighth of the memory. With PyTorch and its libraries loaded,
/// nvidia-smi shows some 0.5 GB, rocm-smi up to 1 GB.
std::uint64_t reserved_memory_byte(const Gpu& gpu);
/// Whether needed and reserved memory fit the GPU; nullopt if either is unknown.
std::optional<bool> fits(const Result& result);

}  // namespace roofline
