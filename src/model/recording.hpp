#pragma once

// A profiler's recording beside its layers: how busy the GPU was, transfers with other GPUs and the
// host, and work without a layer; and recordings of kernels without layers.

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
  collective,  ///< kind not recorded
  peer_to_peer,
  host_to_device,
  device_to_host,
  host_to_host,
};

/// Between GPUs; other kinds use the link to the host.
constexpr bool is_between_gpus(TransferKind kind) { return kind <= TransferKind::peer_to_peer; }

/// Bytes on the busiest link for each byte of payload, among `ranks` GPUs. Rate x factor compares
/// with the link's rate for any kind. Definition of NVIDIA's nccl-tests (doc/PERFORMANCE.md).
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

/// Equal transfers of one step. Their time includes the wait for the slowest GPU.
struct Transfer {
  TransferKind kind = TransferKind::collective;
  std::string what;  ///< the elements, "bf16 8816192", or the host's memory, "pinned"; may be empty
  std::optional<std::uint64_t> ranks;  ///< GPUs taking part
  double launches = 0;                 ///< kernels and copies
  /// Total payload: the result on one GPU of an all_gather, else the data on one GPU at the start.
  std::optional<double> byte;
  double time_s = 0;
  double hidden_s = 0;   ///< part of time_s during which the same GPU computed
  double waiting_s = 0;  ///< part of time_s beyond the fastest rank's; 0 if ranks are unknown

  double exposed_s() const { return time_s - hidden_s; }
  std::optional<double> algorithm_byte_per_s() const {
    const double moving_s = time_s - waiting_s;
    return byte && moving_s > 0 ? std::optional(*byte / moving_s) : std::nullopt;
  }
  std::optional<double> bus_byte_per_s() const {
    const std::optional<double> rate = algorithm_byte_per_s();
    return rate && ranks ? std::optional(*rate * bus_factor(kind, *ranks)) : std::nullopt;
  }
};

/// GPU work which is neither a layer nor a transfer: a fused kernel, an operator without a rule.
struct UnmodelledWork {
  std::string name;     ///< the operator, or the kernel if the operator is unknown
  std::string reason;   ///< why it is no layer
  std::string shapes;   ///< of its tensors, "fp16 32x64x112x112, fp16 64"; empty if unknown
  double launches = 0;  ///< kernels and copies, per step
  double time_s = 0;    ///< per step
};

/// UnmodelledWork::reason of kernels in captured graphs.
inline constexpr std::string_view in_graph = "launched by a CUDA graph, which keeps no operators";

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

/// Empty and absent: not recorded.
struct RecordedGpu {
  std::string name;  ///< the driver's name, "NVIDIA H200"
  std::optional<std::uint64_t> sm_count;
  std::optional<std::uint64_t> memory_byte;
  std::optional<std::uint64_t> warp_size;

  bool operator==(const RecordedGpu&) const = default;
};

/// Why a GPU waits for its next work.
enum class IdleCause : std::uint8_t {
  host,             ///< the host launches operators more slowly than the GPU runs them
  data_loading,     ///< the host was loading data
  synchronisation,  ///< the host had waited for the GPU, and had to start anew
  queued,           ///< launched in time: a kernel's start, or another stream's work
};

/// Gaps between a GPU's activities, with one cause and in the same host code.
struct IdleGaps {
  IdleCause cause = IdleCause::host;
  /// The innermost host operator, call or function for at least half of each gap; may be empty.
  std::string during;
  double count = 0;   ///< per step
  double time_s = 0;  ///< per step
  double longest_s = 0;
};

/// Suffix of IdleGaps::during if the next work was a whole graph.
inline constexpr std::string_view before_graph = "(before a graph)";

/// Suffix of IdleGaps::during if a launch took as long as only the first one does.
inline constexpr std::string_view first_use = "(first use)";

/// Host code before a kernel's first launch: torch.compile, Triton, loading a module, a capture.
inline bool is_warm_up(std::string_view during) {
  constexpr std::string_view parts[] = {
      "ModuleLoad",         "LibraryLoad",           "triton/compiler",
      "torch/_inductor/co", "torch/_inductor/graph", "torch/_dynamo/convert_frame",
      "StreamBeginCapture", "StreamEndCapture",      "GraphInstantiate"};
  if (during.find(first_use) != during.npos) return true;
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return during.find(part) != during.npos; });
}

/// Names of elementwise layers, each reading the one before: one kernel could run them all.
struct ElementwiseChain {
  std::vector<std::string> layers;
  double runs = 0;  ///< per step
};

/// A layer with kernels that only change the layout of its operands or pad their channels.
struct LayerTransforms {
  std::string layer;
  double share = 0;  ///< 0..1, of the layer's time
};

/// A process of the recorded run, with a GPU. Times are of one step.
struct RecordedRank {
  std::string name;        ///< "rank 2"
  double computing_s = 0;  ///< kernels and copies, without exchanges between GPUs
  double waiting_s = 0;    ///< exchanges beyond the fastest rank's time
};

/// Times are of one step, the mean of several.
struct TraceSummary {
  Recorder recorder = {};
  RecordedGpu gpu;
  std::size_t steps = 1;
  double span_s = 0;    ///< from the first kernel's start to the last one's end, with gaps
  double busy_s = 0;    ///< part of span_s with a kernel or copy running
  double kernel_s = 0;  ///< sum over kernels and copies; above busy_s if some ran side by side
  double layers_s = 0;  ///< part of kernel_s in layers
  double launches = 0;  ///< kernels, copies and fills
  /// A clock around a layer includes gaps between its kernels, kernel durations do not.
  bool times_hold_launches = false;
  /// One run as timed by the recorder, without a clock around every layer.
  std::optional<double> latency_s;
  std::vector<Transfer> transfers;  ///< in descending order of time
  std::vector<RecordedRank> ranks;  ///< this one first, the one that the others wait for; or none
  EnumArray<IdleCause, double> idle_by_cause_s{};  ///< the sum is idle_s(), except for an engine
  std::vector<IdleGaps> gaps;                      ///< the longest, in descending order of time
  double host_s = 0;  ///< host time from first to last launch, without waits
  /// A step without its recorder, which slows the host: stated, or estimated from the launches.
  /// Absent where the recorder hardly lengthens it.
  std::optional<double> unrecorded_s;
  double unrecorded_host_s = 0;       ///< likewise of host_s
  bool unrecorded_is_stated = false;  ///< by the user, who timed it
  double copies_alone_s = 0;          ///< part of busy_s with only copies over a link running
  double collectives_alone_s = 0;     ///< part of busy_s with only work between GPUs running
  bool is_data_parallel = false;      ///< DistributedDataParallel ran
  double layout_s = 0;                ///< part of layers_s spent on changing the layout of images
  std::vector<LayerTransforms> transforms;
  std::vector<ElementwiseChain> chains;
  std::vector<UnmodelledWork> unmodelled;  ///< in descending order of time
  std::vector<std::string> notes;          ///< the reader's assumptions and omissions

  double idle_s() const { return span_s > busy_s ? span_s - busy_s : 0; }
  /// Without the recorder.
  double step_s() const { return unrecorded_s.value_or(span_s); }
  double between_gpus_s() const { return transfers_s(true); }
  double host_link_s() const { return transfers_s(false); }
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

/// Time of the host's gaps while kernels were compiled, loaded or captured.
inline double first_uses_s(const TraceSummary& recording) {
  double time_s = 0;
  for (const IdleGaps& gaps : recording.gaps)
    if (gaps.cause == IdleCause::host && is_warm_up(gaps.during)) time_s += gaps.time_s;
  return time_s;
}

/// Hardware counters of a kernel, over all launches. Absent: not counted.
struct KernelCounters {
  EnumArray<Engine, std::optional<double>> flop;  ///< by unit
  std::optional<double> dram_byte;
  std::optional<double> l2_byte;

  bool any() const;
  /// Sum over all units; nullopt without counts.
  std::optional<double> flop_in_all() const;
};

/// Launches of one kernel; with counters, launches of one grid.
struct RecordedKernel {
  std::string name;
  std::string grid;   ///< "(2, 784, 1)"; empty if launches differ, or if unknown
  std::string block;  ///< likewise
  std::uint64_t launches = 1;
  double time_s = 0;                ///< of all launches
  std::optional<double> occupancy;  ///< achieved, 0..1, of the last launch
  std::optional<double> registers;  ///< per thread
  KernelCounters counters;
};

inline double mean_time_s(const RecordedKernel& kernel) {
  return kernel.time_s / static_cast<double>(kernel.launches);
}

struct KernelRecording {
  std::string name;
  std::string source;
  Recorder recorder = {};
  RecordedGpu gpu;
  std::vector<RecordedKernel> kernels;  ///< in descending order of time
  // Present if the start of every launch is known.
  std::optional<double> span_s;  ///< from the first start to the last end
  std::optional<double> busy_s;  ///< part of span_s with a kernel or copy running
  std::vector<std::string> notes;

  bool has_counters() const;
};

}  // namespace roofline
