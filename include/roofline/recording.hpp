#pragma once

// What a profiler's recording says beside its layers: how busy the GPU was, how much of that the
// layers stand for, what the GPU exchanged with others and with its host, and the work that no
// layer stands for. Also recordings of kernels alone, where nothing says which layers they were.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/enumeration.hpp"
#include "roofline/gpu.hpp"
#include "roofline/layer.hpp"

namespace roofline {

enum class TransferKind : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  reduce,
  gather,
  scatter,
  send_receive,
  collective,  ///< one that the recording does not name
  peer_to_peer,
  host_to_device,
  device_to_host,
  host_to_host,
};

/// Between GPUs; the others are over the link to the host.
constexpr bool is_between_gpus(TransferKind kind) { return kind <= TransferKind::peer_to_peer; }

/// Bytes that the busiest link carries for a byte of payload, among so many GPUs: the rate times
/// this compares with the link's own, whatever the kind. As NVIDIA's nccl-tests define it
/// (doc/PERFORMANCE.md).
constexpr double bus_factor(TransferKind kind, std::uint64_t ranks) {
  const double others = ranks > 0 ? static_cast<double>(ranks - 1) / static_cast<double>(ranks) : 0;
  switch (kind) {
    case TransferKind::all_reduce: return 2 * others;
    case TransferKind::all_gather:
    case TransferKind::reduce_scatter:
    case TransferKind::all_to_all:
    case TransferKind::gather:
    case TransferKind::scatter: return others;
    default: return 1;
  }
}

/// Transfers alike, of one step. Their time holds the wait for the slowest of the GPUs.
struct Transfer {
  TransferKind kind = TransferKind::collective;
  std::string what;  ///< the elements, "bf16 8816192", or the host's memory, "pinned"; may be empty
  std::optional<std::uint64_t> ranks;  ///< GPUs that take part
  double launches = 0;                 ///< kernels and copies
  /// Payload of all of them: what one GPU has in the end of an all_gather, what it starts from
  /// otherwise.
  std::optional<double> byte;
  double time_s = 0;
  double hidden_s = 0;  ///< of that, while the same GPU computed

  double exposed_s() const { return time_s - hidden_s; }
  /// Payload over time.
  std::optional<double> algorithm_byte_per_s() const {
    return byte && time_s > 0 ? std::optional(*byte / time_s) : std::nullopt;
  }
  std::optional<double> bus_byte_per_s() const {
    const std::optional<double> rate = algorithm_byte_per_s();
    return rate && ranks ? std::optional(*rate * bus_factor(kind, *ranks)) : std::nullopt;
  }
};

/// GPU work of a recording that is neither a layer nor a transfer: a fused kernel, an operator
/// without a rule.
struct UnmodelledWork {
  std::string name;     ///< the operator, or the kernel where no operator is known
  std::string reason;   ///< why it is no layer
  std::string shapes;   ///< its tensors, "fp16 32x64x112x112, fp16 64"; empty where none are known
  double launches = 0;  ///< kernels and copies, a step
  double time_s = 0;    ///< of all of them together, a step
};

/// UnmodelledWork::reason of kernels in captured graphs.
inline constexpr std::string_view in_graph = "launched by a CUDA graph, which keeps no operators";

/// What made a recording.
enum class Recorder : std::uint8_t {
  tensorrt,
  nsight_systems,
  nsight_compute,
  rocprofv3,
  pytorch_profiler,
};

constexpr std::string_view name_of(Recorder recorder) {
  switch (recorder) {
    case Recorder::tensorrt: return "TensorRT";
    case Recorder::nsight_systems: return "Nsight Systems";
    case Recorder::nsight_compute: return "Nsight Compute";
    case Recorder::rocprofv3: return "rocprofv3";
    case Recorder::pytorch_profiler: return "PyTorch profiler";
  }
  return "";
}

/// The GPU of a recording, as far as the recording tells. Empty and absent: it does not.
struct RecordedGpu {
  std::string name;  ///< as its driver names it, "NVIDIA H200"
  std::optional<std::uint64_t> sm_count;
  std::optional<std::uint64_t> memory_byte;
  std::optional<std::uint64_t> warp_size;

  bool operator==(const RecordedGpu&) const = default;
};

/// Why a GPU waits for its next piece of work.
enum class IdleCause : std::uint8_t {
  host,             ///< the host had not asked for it: it runs operators more slowly than the GPU
  data_loading,     ///< the host was loading data
  synchronisation,  ///< the host had waited for the GPU, and then had to start anew
  queued,           ///< it was asked for in time: a kernel's start, or another stream's work
};

/// Gaps between a GPU's activities, of one cause and in the same code of the host.
struct IdleGaps {
  IdleCause cause = IdleCause::host;
  std::string during;    ///< the innermost operator, call or function of the host that ran for at
                         ///< least half of each; empty where none did, or the gaps are short
  double count = 0;      ///< a step
  double time_s = 0;     ///< of all of them together, a step
  double longest_s = 0;  ///< the longest of them
};

/// Ends IdleGaps::during where the next piece of work was a whole graph.
inline constexpr std::string_view before_graph = "(before a graph)";

/// Whether code of the host that is called so runs once, before a kernel's first launch:
/// torch.compile, Triton, the loading of a module.
inline bool is_warm_up(std::string_view during) {
  constexpr std::string_view parts[] = {
      "ModuleLoad",         "LibraryLoad",           "triton/compiler",
      "torch/_inductor/co", "torch/_inductor/graph", "torch/_dynamo/convert_frame"};
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return during.find(part) != during.npos; });
}

/// Elementwise layers, by name, each of which reads what the one before wrote, so that one kernel
/// could do them all.
struct ElementwiseChain {
  std::vector<std::string> layers;
  double runs = 0;  ///< a step
};

/// Times are of one step; a recording of several is their mean.
struct TraceSummary {
  Recorder recorder = {};
  RecordedGpu gpu;
  std::size_t steps = 1;
  double span_s = 0;  ///< from the first kernel's start to the last one's end, gaps included
  double busy_s = 0;  ///< of that, with at least one kernel or copy running
  double kernel_s =
      0;  ///< sum over all kernels and copies; above busy_s where some ran side by side
  double layers_s = 0;  ///< of that, the kernels that layers stand for
  double launches = 0;  ///< kernels, copies and fills
  /// Whether the layers' times hold the gaps between their kernels: a clock around a layer measures
  /// them, a kernel's own duration does not.
  bool times_hold_launches = false;
  /// One run as the recorder timed it from outside, without a clock around every layer.
  std::optional<double> latency_s;
  std::vector<Transfer> transfers;                 ///< in descending order of time
  EnumArray<IdleCause, double> idle_by_cause_s{};  ///< the sum is idle_s(), but for an engine
  std::vector<IdleGaps> gaps;      ///< in descending order of time; those that take most
  double host_s = 0;               ///< the host's, from its first launch to its last, but for waits
  double copies_alone_s = 0;       ///< of busy_s, with nothing running but copies over a link
  double collectives_alone_s = 0;  ///< of busy_s, with nothing running but work between GPUs
  double layout_s = 0;             ///< of layers_s, moving images' channels to the other end
  std::vector<ElementwiseChain> chains;
  std::vector<UnmodelledWork> unmodelled;  ///< in descending order of time
  std::vector<std::string> notes;          ///< what the reader assumed or left out

  double idle_s() const { return span_s > busy_s ? span_s - busy_s : 0; }
  double between_gpus_s() const { return transfers_s(true); }
  double host_link_s() const { return transfers_s(false); }
  /// The share of the kernels' time that layers and transfers stand for.
  double explained_share() const {
    return kernel_s > 0 ? (layers_s + between_gpus_s() + host_link_s()) / kernel_s : 0;
  }

 private:
  double transfers_s(bool between_gpus) const {
    double sum_s = 0;
    for (const Transfer& each : transfers)
      if (is_between_gpus(each.kind) == between_gpus) sum_s += each.time_s;
    return sum_s;
  }
};

/// What hardware counters saw of a kernel, over all its launches. Absent: not counted.
struct KernelCounters {
  EnumArray<Engine, std::optional<double>> flop;  ///< by the units that did them
  std::optional<double> dram_byte;
  std::optional<double> l2_byte;

  bool any() const;
  /// The sum over all units; none where none was counted.
  std::optional<double> flop_in_all() const;
};

/// Launches of one kernel; with counters, those of one grid.
struct RecordedKernel {
  std::string name;   ///< as recorded
  std::string grid;   ///< "(2, 784, 1)"; empty where launches differ, or nothing is known
  std::string block;  ///< likewise
  std::uint64_t launches = 1;
  double time_s = 0;                ///< of all launches
  std::optional<double> occupancy;  ///< achieved, 0..1, of the last launch
  std::optional<double> registers;  ///< a thread's
  KernelCounters counters;
};

/// One launch takes so long.
inline double mean_time_s(const RecordedKernel& kernel) {
  return kernel.time_s / static_cast<double>(kernel.launches);
}

struct KernelRecording {
  std::string name;    ///< the file's
  std::string source;  ///< the input
  Recorder recorder = {};
  RecordedGpu gpu;
  std::vector<RecordedKernel> kernels;  ///< in descending order of time
  // Where every launch has its start.
  std::optional<double> span_s;    ///< from the first start to the last end
  std::optional<double> busy_s;    ///< of that, with at least one kernel or copy running
  std::vector<std::string> notes;  ///< what was left out

  bool has_counters() const;
};

}  // namespace roofline
