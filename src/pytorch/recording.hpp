#pragma once

// A trace's events that explain GPU time, with names and arguments that repeat kept once; and its
// GPU work: launches, transfers, idle time, layers. Activities are indices by start.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "load/byte_stream.hpp"
#include "load/recording.hpp"
#include "model/recording.hpp"
#include "pytorch/operator_table.hpp"

namespace roofline {

inline constexpr double s_per_us = 1e-6;

using TextId = std::uint32_t;

class TextPool {
 public:
  TextPool() { id(""); }
  TextId id(std::string_view text) {
    const auto found = ids_.find(text);
    if (found != ids_.end()) return found->second;
    const auto id = static_cast<TextId>(texts_.size());
    ids_.emplace(texts_.emplace_back(text), id);
    return id;
  }
  const std::string& at(TextId id) const { return texts_[id]; }
  static constexpr TextId empty = 0;

 private:
  std::deque<std::string> texts_;  ///< a deque keeps the keys of ids_ valid
  std::unordered_map<std::string_view, TextId> ids_;
};

/// An exchange between GPUs, as newer profilers describe it in its operator and kernels.
struct RecordedMessage {
  TextId collective = TextPool::empty;  ///< "allreduce"
  TextId type = TextPool::empty;        ///< "BFloat16"
  std::uint64_t in_elements = 0;
  std::uint64_t out_elements = 0;
  std::uint64_t ranks = 0;         ///< participating GPUs; 0 if unknown
  TextId group = TextPool::empty;  ///< "[0, 1, 2, 3]"
};

struct HostRange {
  double start_us = 0;
  double end_us = 0;
  std::uint64_t external_id = 0;
  TextId name = TextPool::empty;
  std::uint32_t thread = 0;     ///< our number
  std::uint32_t arguments = 0;  ///< index in Recording::arguments
  std::uint32_t message = 0;    ///< index in Recording::messages
};

/// A kernel, a copy or a fill on the GPU.
struct GpuActivity {
  double start_us = 0;
  double duration_us = 0;
  std::uint64_t external_id = 0;  ///< the launching operator; 0 if unknown
  std::uint64_t correlation = 0;  ///< the host's launching call
  std::uint64_t byte = 0;         ///< moved by a copy
  TextId name = TextPool::empty;
  std::uint32_t device = 0;
  std::uint32_t process = 0;  ///< the trace's number of the GPU or of a rank
  std::uint32_t message = 0;  ///< index in Recording::messages
  double waiting_us = 0;      ///< of an exchange: beyond the fastest rank's time

  double end_us() const { return start_us + duration_us; }
};

struct LaunchCall : HostRange {
  std::uint64_t correlation = 0;
};

struct StepRange {
  double start_us = 0;
  double end_us = 0;
  std::uint32_t process = 0;
};

/// An operator's begin, and that of its backward pass.
struct BackwardLink {
  std::uint32_t forward_thread = 0;
  double forward_us = 0;
  std::uint32_t backward_thread = 0;
  double backward_us = 0;
};

/// Shorter host ranges explain no gap of the GPU.
inline constexpr double least_long_range_us = 5;

struct Recording {
  TextPool texts;
  std::vector<Arguments> arguments{Arguments()};  ///< without duplicates; the first is empty
  bool has_values = false;                        ///< values besides tensors, from PyTorch 1.13 on
  std::vector<RecordedMessage> messages{{}};      ///< the first is empty
  std::map<std::uint32_t, RecordedGpu> gpus;      ///< by number
  TextPool processes;                             ///< the trace's names, by number
  std::vector<std::uint32_t> process_of_threads;  ///< by thread
  std::vector<HostRange> operators;
  std::vector<GpuActivity> activities;
  std::vector<LaunchCall> calls;
  std::vector<StepRange> steps;  ///< ProfilerStep#
  /// Other long host ranges: calls, functions, ranges named by the user.
  std::vector<HostRange> long_ranges;
  std::vector<HostRange> modules;            ///< ranges "module: NAME", called NAME
  std::vector<BackwardLink> backward_links;  ///< of automatic differentiation
  std::size_t half_events = 0;               ///< with a begin or an end alone

  const std::string& name(const HostRange& range) const { return texts.at(range.name); }
  const std::string& name(const GpuActivity& activity) const { return texts.at(activity.name); }
};

/// Reads a Chrome trace once. Throws InputError for invalid or truncated JSON, and for a needed
/// event without valid times.
Recording scan_trace(ByteStream& stream);

inline constexpr std::uint32_t no_index = std::numeric_limits<std::uint32_t>::max();

struct WorkOrigin {
  std::uint32_t operator_index = no_index;  ///< in Recording::operators
  std::uint32_t call_index = no_index;      ///< in Recording::calls
  std::optional<std::size_t> step = {};     ///< the launching one, in Recording::steps
};

struct WorkOrigins {
  std::vector<std::uint32_t> callers;     ///< the enclosing operator of each operator
  std::vector<WorkOrigin> of_activities;  ///< for each activity
};

/// If all operators of a recording without steps repeat, or an optimizer ends each step, these are
/// its steps; with a note.
void mark_repeated_steps(Recording& recording, std::vector<std::string>& notes);

/// States strides and paddings of convolutions in recordings without values, as far as the
/// operators after them tell their results; and what gradients are of.
void state_strides(Recording& recording);

// Ranks of one run. The one that the others wait for in exchanges is read.

/// Keeps one process of merged recordings: the one that the others wait for, or else the one with
/// the busiest GPU; with a note. Returns the ranks, the kept one first; none without exchanges that
/// the ranks share.
std::vector<RecordedRank> keep_one_rank(Recording& recording, std::vector<std::string>& notes);

struct RankNumber {
  std::uint64_t rank = 0;
  std::uint64_t world = 0;  ///< ranks of the run
};
/// From a recording's first bytes; nullopt without a run of several ranks.
std::optional<RankNumber> rank_number(std::string_view head);

/// The ranks of this recording's run among the inputs, the one that the others wait for first; none
/// for a recording alone. Sets the waiting_us of this one.
std::vector<RecordedRank> ranks_among(const InputSet& inputs, const ByteStream& stream,
                                      RankNumber number, Recording& recording);

/// Sorts operators by thread and start, and activities by start, and finds their origins.
WorkOrigins find_origins(Recording& recording);

/// By thread and start, outer ranges first.
void sort_ranges(std::vector<HostRange>& ranges);

/// The enclosing range of each; sorted ranges.
std::vector<std::uint32_t> find_callers(const std::vector<HostRange>& ranges);

/// no_index if none is at the time on this thread.
std::uint32_t innermost_at(const std::vector<HostRange>& ranges,
                           const std::vector<std::uint32_t>& callers, std::uint32_t thread,
                           double time_us);

/// Names of modules, from the ranges "module: layer1.0.conv1" around their forward passes.
class ModuleNames {
 public:
  ModuleNames(const Recording& recording, const WorkOrigins& origins);

  struct Place {
    TextId module = TextPool::empty;  ///< the innermost one; empty for none
    bool is_backward = false;         ///< of an operator that ran in the module
  };
  Place place_of(std::uint32_t op) const { return places_.empty() ? Place{} : places_[op]; }
  /// The module's name alone if its forward pass is one operator, with the operator's else:
  /// "layer1.0.conv1", "layer1.0.add".
  std::string name_of(Place place, const LayerSpec& layer) const;

 private:
  const Recording& recording_;
  std::vector<Place> places_;    ///< of operators; empty without modules
  std::set<TextId> of_several_;  ///< modules that hold modules, or run several operators
};

/// The step around the time; steps by start.
std::optional<std::size_t> step_at(const std::vector<StepRange>& steps, double time_us);

bool is_graph_launch(const Recording& recording, std::uint32_t call);

/// A call that returns after the GPU's work; long copies wait too.
bool waits_for_gpu(std::string_view call);

/// A kernel or an operator: "ncclDevKernel_AllGather_RING_LL(...)", "c10d::allreduce_".
bool is_exchange(std::string_view name);

/// Process and number in the trace: several processes may call theirs the first GPU.
using RankGpu = std::pair<std::uint32_t, std::uint32_t>;
/// The busiest GPU of a recording with activities.
RankGpu busiest_gpu(const Recording& recording);

/// The time that at least one activity runs.
Coverage busy_time(const Recording& recording, const std::vector<std::uint32_t>& activities);

struct IdleTime {
  EnumArray<IdleCause, double> by_cause_s{};  ///< a step
  std::vector<IdleGaps> gaps;                 ///< the longest kinds
};

/// The host's time from first to last launch, summed over steps, without waits for the GPU.
double launching_us(const Recording& recording, const WorkOrigins& origins,
                    const std::vector<std::uint32_t>& activities);

/// Idle time of a step. The host causes a gap if it called the next activity after the gap began,
/// up to the call's return if the work starts much later. In all other idle time work was queued.
IdleTime idle_time(const Recording& recording, const WorkOrigins& origins,
                   const std::vector<std::uint32_t>& activities, std::size_t steps);

/// A run's times without its recorder, in all steps.
struct UnrecordedTimes {
  double span_us = 0;  ///< from the first activity's start to the last one's end
  double host_us = 0;  ///< as launching_us()
};

/// Replays the launches at the pace of a host that nothing records; kernels keep their times.
/// Without calls the recorded times.
UnrecordedTimes unrecorded_times(const Recording& recording, const WorkOrigins& origins,
                                 const std::vector<std::uint32_t>& activities);

struct SplitWork {
  std::vector<std::uint32_t> computing;
  std::vector<std::uint32_t> computing_and_exchanges;  ///< all but copies over a link
  std::vector<Transfer> transfers;                     ///< of one step, by falling time
};

/// Separates transfers from one device's activities, and finds how much of them computing hides.
SplitWork split_transfers(const Recording& recording, const WorkOrigins& origins,
                          const std::vector<std::uint32_t>& activities, std::size_t steps);

// Joins equal layers in a row with their mean time, and chains of elementwise rows.

class FoldedLayers {
 public:
  /// The row of all layers with this name and content.
  std::size_t row_of(LayerSpec spec);
  /// `kernel`: full name of the main kernel of a contraction. `transforms_s`: part of the time, of
  /// kernels that only transform operands.
  void add(std::size_t row, double time_s, std::string_view kernel = {}, double transforms_s = 0);
  const LayerSpec& layer(std::size_t row) const { return rows_[row].spec; }
  bool empty() const { return rows_.empty(); }
  double time_s() const;
  /// Joins work whose sizes change every step into a row of median sizes.
  void join_changing(std::size_t steps);
  /// A rare layer's share of a step would be compared with a whole run's bound.
  void move_rare(std::size_t steps, UnmodelledList& unmodelled);
  /// Layers of one step with unique names. `row_names` gets each row's layer name, empty for rows
  /// that never ran or were joined.
  std::vector<LayerSpec> layers(std::size_t steps, std::vector<std::string>& row_names,
                                std::vector<LayerTransforms>& transforms) &&;

 private:
  struct Row {
    LayerSpec spec;
    double time_s = 0;
    std::size_t runs = 0;
    double transforms_s = 0;
  };

  std::vector<Row> rows_;
  std::map<LayerSpec, std::size_t> by_key_;
};

/// Consecutive elementwise operators that read each other's results: a compiler would fuse them.
class ChainList {
 public:
  /// Traces have no addresses: an operator is assumed to read the last result if it reads a tensor
  /// of those sizes.
  void add(std::size_t row, const LayerSpec& layer, const Arguments& arguments);
  void end();
  /// Chains of at least two layers in a step, in a fixed order. `names`: of the rows.
  std::vector<ElementwiseChain> items(const std::vector<std::string>& names, std::size_t steps);

 private:
  std::vector<std::size_t> open_;  ///< rows of the open chain
  Sizes written_;                  ///< the last row's result
  std::map<std::vector<std::size_t>, std::size_t> runs_;
};

struct TraceLayers {
  FoldedLayers layers;
  ChainList chains;
  UnmodelledList unmodelled;
  double layout_s = 0;             ///< layout changes, in all steps
  double side_by_side_s = 0;       ///< overlap of the kernels of one operator, likewise
  std::vector<std::string> notes;  ///< assumptions
  bool lacks_products = false;     ///< some could not be sized
};

/// Takes activities of one device in these steps, without transfers.
TraceLayers layers_of(const Recording& recording, const WorkOrigins& origins,
                      const std::vector<std::uint32_t>& activities, std::size_t steps);

/// `arguments`: the recording's, in the requested types.
TraceLayers layers_of_operators(const Recording& recording, const WorkOrigins& origins,
                                const std::vector<Arguments>& arguments);

bool looks_like_trace(std::string_view head);
Items read_trace(ByteStream& stream, const InputSet& inputs);

}  // namespace roofline
