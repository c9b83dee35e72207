#pragma once

// Layers on a GPU, from counts to times.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/accuracy.hpp"
#include "roofline/context.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/error.hpp"
#include "roofline/kernel.hpp"
#include "roofline/network.hpp"
#include "roofline/recording.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

/// What the time of a measured run is made of. What is of kernels is measured in sum and split by
/// the model; what is between and beside them is measured.
enum class StepPart : std::uint8_t {
  bound,          ///< the layers' roofline bounds, at most their measured time
  rates,          ///< arithmetic, memory and caches at less than the bound's rates
  instructions,   ///< what else kernels issue
  small_kernels,  ///< kernels start, fill the GPU and drain it: launch, latency, last wave,
                  ///< padding of tiles, occupancy
  unexplained,    ///< the layers' measured time beyond the expected
  not_split,      ///< where it is less, all beyond the bound: the model's parts are not its own
  overcounted,    ///< layers that touched fewer bytes than are counted (BelowBound::fewer_bytes)
  other_kernels,  ///< kernels that no layer stands for
  copies,         ///< copies over a link to host or GPU, with nothing beside them
  collectives,    ///< work between GPUs, with no kernel beside it
  idle_host,      ///< as IdleCause
  idle_data_loading,
  idle_synchronisation,
  idle_queued,
};

/// What the part is, in a few words.
constexpr std::string_view meaning_of(StepPart part) {
  switch (part) {
    case StepPart::bound: return "bound";
    case StepPart::rates: return "rates and caches";
    case StepPart::instructions: return "other instructions";
    case StepPart::small_kernels: return "starting and filling";
    case StepPart::unexplained: return "slower than the model";
    case StepPart::not_split: return "faster than the model";
    case StepPart::overcounted: return "layers that touch less than counted";
    case StepPart::other_kernels: return "kernels of no layer";
    case StepPart::copies: return "copies over a link";
    case StepPart::collectives: return "collectives";
    case StepPart::idle_host: return "waiting for the host's launches";
    case StepPart::idle_data_loading: return "waiting for data";
    case StepPart::idle_synchronisation: return "after synchronisations";
    case StepPart::idle_queued: return "queued work waiting";
  }
  return "";
}

/// The parts in which the GPU is idle, each with its cause.
struct IdlePart {
  StepPart part;
  IdleCause cause;
};
inline constexpr std::array idle_parts =
    std::to_array<IdlePart>({{StepPart::idle_host, IdleCause::host},
                             {StepPart::idle_data_loading, IdleCause::data_loading},
                             {StepPart::idle_synchronisation, IdleCause::synchronisation},
                             {StepPart::idle_queued, IdleCause::queued}});

/// Something that can be done to shorten a time, as the model or the recording says.
struct Advice {
  std::string_view action;       ///< "larger_batch"
  std::string text;              ///< "batch 64 in place of 8"
  std::optional<double> time_s;  ///< for as much work as before; none where it all but vanishes
  double speedup = 0;            ///< over the time as it is; 0 where time_s is absent
  // Advice on a measured run has these as well.
  double saved_s = 0;           ///< a step, for as much work, by this action alone
  bool at_most = false;         ///< all that the action can touch, not a time that the model gives
  bool speeds_kernels = false;  ///< and not their launches
};

struct Verdict {
  double step_s = 0;  ///< the sum of part_s: a step with its gaps, or the measured layers
  EnumArray<StepPart, double> part_s{};
  bool knows_gaps = false;  ///< step_s holds the time between kernels
  /// What would shorten it: first the best of what leaves the work as it is, then in descending
  /// order of what it saves. Nothing that gains less than 3 %.
  std::vector<Advice> actions;

  double idle_s() const {
    double sum_s = 0;
    for (const IdlePart& each : idle_parts) sum_s += part_s[each.part];
    return sum_s;
  }
  /// The time of the kernels that layers stand for.
  double layers_s() const {
    return part_s[StepPart::bound] + part_s[StepPart::rates] + part_s[StepPart::instructions] +
           part_s[StepPart::small_kernels] + part_s[StepPart::unexplained] +
           part_s[StepPart::not_split];
  }
};

/// Why a measured time is below the roofline, where no kernel comes that does all its work from
/// device memory.
enum class BelowBound : std::uint8_t {
  fewer_macs,        ///< Winograd and FFT do fewer multiply-adds than are counted
  fewer_bytes,       ///< the bytes are an upper estimate (Counts), so that there is no bound
  in_l2,             ///< all operands fit in L2: device memory hardly moves
  ceilings_too_low,  ///< the part does more than the ceilings say
  impossible,        ///< by more than clocks, caches and saved multiply-adds allow
};

/// Whether the layer has a kernel of its own. A view, a copy over the host link and what another
/// layer's kernel does have none, and take their bound.
bool has_kernel(const Layer& layer);

struct LayerResult {
  Layer layer;
  Counts counts;
  Engine engine = Engine::fp32;
  bool first_pass = true;  ///< the layer's first one: only these rows' parameters are summed
  /// A batch norm that takes the batch's statistics only because all passes run.
  bool uses_batch_statistics = false;
  bool is_result = false;                 ///< no layer of the network reads its output
  bool measured_left_out = false;         ///< there is a measured time, but not one like this row
  std::optional<BelowBound> below_bound;  ///< why the measured time is
  RooflinePoint point;
  SharedValue<std::string> fused_into;  ///< name of the layer whose kernel does this one's work
  /// Names of the layers whose results the operands are; empty for those from elsewhere. None where
  /// all are from elsewhere.
  std::vector<std::string> input_from;
  std::optional<KernelPlan> kernel;  ///< none where no kernel runs, or for want of GPU data
  double assumed_host_s = 0;         ///< of it, a wait for a host that nobody described
  std::optional<Uncertainty> expected_uncertainty;  ///< where a kernel runs
  /// The layer's measured time where it was measured like this row: at its batch, in its pass, on
  /// this GPU and with caches in the same state.
  std::optional<double> measured_time_s;
  /// Where the library chose badly, the expected time of the kernel that it should have run
  /// (better_kernel): it ran a naive one, or another algorithm, for longer than 95 of 100 runs of
  /// the better one would take; twice as long, unless it is naive.
  std::optional<double> better_time_s;
  std::optional<double> time_share;  ///< 0..1, of the network's time; none in a stream

  /// Its kernel's, or where none runs its bound; none for want of GPU data.
  std::optional<double> expected_time_s() const;
};

/// Sums over rows.
struct Total {
  std::uint64_t macs = 0;
  std::uint64_t flops = 0;
  std::uint64_t params = 0;
  std::uint64_t buffers = 0;
  Bytes bytes;
  double compute_time_s = 0;
  double memory_time_s = 0;
  double roofline_time_s = 0;
  std::optional<double> expected_time_s = 0;        ///< where every row has one
  std::optional<Uncertainty> expected_uncertainty;  ///< how sure expected_time_s is
  std::optional<double> measured_time_s = 0;        ///< where every row has a measured time
  double lost_s = 0;                                ///< of the rows, as roofline::lost_s has it
  bool is_overcounted = false;                      ///< a row is below its bound by fewer_bytes
  double time_s = 0;                                ///< each row's expected time, or else its bound
  double compute_bound_part_s = 0;                  ///< roofline_time_s of rows bound by compute
  EnumArray<Limiter, double> part_s{};              ///< what the expected time is made of
};

/// The layers of one type, all passes together.
struct TypeRow {
  LayerKind kind = LayerKind::conv;
  std::uint64_t rows = 0;
  Total total;
  double time_share = 0;  ///< 0..1, of the network's time
};

/// A layer that takes longer than its bound: why, and what would help.
struct LostTime {
  std::size_t row = 0;     ///< index in the result's layers
  std::size_t layers = 1;  ///< that are alike
  double lost_s = 0;       ///< measured beyond the bound, by all of them
  std::string why;
  std::string help;  ///< the best of advise(); empty where nothing gains
};

/// Layers for which the library chose badly.
struct BadChoices {
  std::size_t layers = 0;
  double measured_s = 0;
  double expected_s = 0;  ///< by the better algorithms

  double gain_s() const { return measured_s - expected_s; }
};

/// Where the measured time went, over the rows that have a measured and an expected time, both of
/// the same work. A measured time is the sum of part_s, unexplained_s and not_split_s.
struct MeasuredSummary {
  std::uint64_t rows = 0;
  Total total;
  EnumArray<Limiter, double> part_s{};  ///< the expected time's
  double unexplained_s = 0;             ///< beyond it
  double not_split_s = 0;  ///< a time below the expected, of which no part says what it saved
  std::uint64_t overcounted = 0;    ///< rows beside all these, which touched less than is counted
  double overcounted_s = 0;         ///< their measured time
  std::vector<TypeRow> types;       ///< in descending measured time
  std::vector<LostTime> most_lost;  ///< ten at most
  BadChoices bad_choices;
};

/// A batch that depends on the GPU.
enum class BatchGoal : std::uint8_t {
  max,   ///< the largest batch that fits
  best,  ///< the smallest that is nearly as fast an image as any that fits
};

/// What was evaluated, and on which part.
struct Setting {
  std::string source;
  std::string network;
  std::size_t item = 0;  ///< which of its source's networks, from 0
  /// The network, or where another one is called so too, its source and, in one source, "#2".
  std::string label;
  std::optional<DataType> dtype;        ///< absent where layers differ
  std::optional<std::uint64_t> batch;   ///< absent where layers differ
  std::optional<BatchGoal> batch_goal;  ///< where the batch was searched for
  bool training = false;                ///< all passes
  std::optional<Framework> framework;   ///< that runs it
  RunWay way = RunWay::layers;
  RunsAs runs_as = RunsAs::layers;
  std::optional<Pass> pass;  ///< absent where layers differ, and in training
  std::string gpu;
  std::vector<GpuChange> gpu_changes;
  std::string gpu_share;  ///< Gpu::share
  std::optional<std::uint64_t> gpu_memory_byte;
  std::uint64_t reserved_memory_byte = 0;  ///< of it, what no network can have
  std::optional<double> host_link_byte_per_s;
  std::optional<double> tdp_w;
};

/// What no run of a whole network can be faster than, whatever it keeps in cache. The sum of the
/// layers' rooflines (roofline_point.hpp) is none of these. Under a cache of C bytes:
///
///   compute = sum of FLOP / peak
///   fused   = max(compute, host copies, (W + I + O - K) / bandwidth)
///   cached  = max(fused, sum of max(FLOP / peak, ((R - C) + (S - C)) / bandwidth))
///
/// W, I, O: weights, the network's input and its result, each once. K: what an earlier run can have
/// left of them in cache, C where caches are warm and 0 where they are cold. R, S: what a layer
/// reads and writes; at its start the cache holds at most C bytes of the one, at its end at most C
/// of the other. No difference is below 0. So compute <= fused <= cached <= roofline. Of layers
/// whose counts are an upper estimate (Counts::is_upper_estimate) W, I, O, R and S are 0.
/// Winograd and FFT need fewer FLOP than are counted and may be below all of them.
struct NetworkBounds {
  double compute_bound_s = 0;
  // None where the size of the cache is not known.
  std::optional<double> fused_bound_s;
  std::optional<double> cached_bound_s;
  /// Why the expected time is below that: fewer_macs, or in_l2 where kernels are taken to find
  /// their weights in cache (CacheState::warm) although those of all layers do not fit.
  std::optional<BelowBound> expected_below;
};

/// What the rows were placed under.
struct Bounds {
  Ceilings ceilings;
  Roofs roofs;
  Engine main_engine =
      Engine::fp32;  ///< of most FLOP of dense contractions, else the first layer's
  std::optional<std::uint64_t> cache_byte;  ///< the L2, and an L3 behind it
  std::optional<NetworkBounds> network;     ///< where layers read what others of them write
};

/// Measured times that this GPU cannot reach.
struct ImpossibleTimes {
  std::size_t rows = 0;
  std::size_t row = 0;           ///< the farthest from possible, an index in the result's layers
  double least_s = 0;            ///< that it can take
  std::optional<double> factor;  ///< 10, 1000 or the batch, where times so much longer would fit
};

/// How the rows compare with what was measured.
struct Measurement {
  std::vector<Accuracy> accuracy;  ///< a pass and data type apart; empty without measured times
  std::uint64_t not_compared = 0;  ///< layers whose measured time is like none of their rows
  std::optional<ImpossibleTimes> impossible;
  std::optional<MeasuredSummary> summary;         ///< without those
  std::optional<Verdict> verdict;                 ///< where there is a summary
  std::shared_ptr<const TraceSummary> recording;  ///< a profiler's; expected times are then those
                                                  ///< of kernels alone, without gaps
};

/// A network in one setting on one GPU.
struct Result {
  Setting setting;
  Bounds bounds;
  std::vector<LayerResult> layers;
  Total total;
  std::vector<TypeRow> types;  ///< in descending order of time
  Measurement measured;
  std::optional<Memory> memory;        ///< that a whole network needs; absent for records
  std::optional<double> eager_time_s;  ///< expected under Framework::pytorch, where asked for
};

/// Evaluates a network. An error where the GPU has no peak for a layer's data type, a stated
/// mapping cannot run, no layer runs in this pass, or a total exceeds 64 bits.
Expected<Result> evaluate(Network network, const Context& context);

/// Evaluates a network's layers each alone, as those of a stream's record are: rows, without what a
/// network adds (sums, shares, memory).
Expected<std::vector<LayerResult>> evaluate_layers(Network network, const Context& context);

/// What evaluate_layers() gave of the records of one input, in order, as one result. At least one
/// row. `total`: of all rows, where keep_leading() kept some of them.
Expected<Result> join_records(const std::string& source, const std::string& name,
                              std::vector<std::vector<LayerResult>> records, const Context& context,
                              const std::optional<Total>& total = {});

/// Adds a row to sums. Throws OverflowError.
void add_to_total(Total& total, const LayerResult& row);

/// What the library should have run where it chose badly.
std::string_view better_kernel(const LayerResult& row);

/// Measured time beyond the bound; none without a measured time or a bound.
std::optional<double> lost_s(const LayerResult& row);

/// Times that name no GPU were measured on this one.
void set_measured_gpu(Network& network, const std::string& gpu);

/// The time that a layer is given in summaries: the expected time, or where there is none the
/// roofline bound.
double time_s(const LayerResult& row);
/// What share of a whole time a part is; 0 of no time.
constexpr double share_of(double part_s, double whole_s) {
  return whole_s > 0 ? part_s / whole_s : 0;
}

/// What no kernel of the row is faster than, but with Winograd or FFT:
/// NetworkBounds::cached_bound_s of this layer alone. None where the size of the cache is not
/// known, and where the layer may touch less than is counted.
std::optional<double> cached_bound_s(const LayerResult& row, const Bounds& bounds);

/// The smallest batch at which the row's layer is bound by compute, its weights being read once
/// whatever the batch; none where no batch is enough, or where it does no arithmetic.
std::optional<std::uint64_t> crossover_batch(const LayerResult& row);

/// The share of the bound's time that is in layers bound by compute.
double compute_bound_share(const Result& result);

/// Device memory that the result's pass needs at most; none where it is not known.
std::optional<std::uint64_t> needed_memory_byte(const Result& result);
/// What the driver's context and the libraries' kernels and workspaces take of a GPU's memory
/// before any network is there: a round number by maker, an eighth of the memory at most. With
/// PyTorch and its libraries loaded, nvidia-smi shows some 0.5 GB, rocm-smi up to 1 GB.
std::uint64_t reserved_memory_byte(const Gpu& gpu);
/// Whether both fit the GPU; none where either is not known.
std::optional<bool> fits(const Result& result);

}  // namespace roofline
