#pragma once

// What a profiler's recording says beside its layers: how busy the GPU was, how much of that the
// layers stand for, and the work that no layer stands for.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/enumeration.hpp"
#include "roofline/layer.hpp"
#include "roofline/transfer.hpp"

namespace roofline {

/// GPU work of a recording that is neither a layer nor a transfer: a fused kernel, an operator
/// without a rule.
struct UnmodelledWork {
  std::string name;     ///< the operator, or the kernel where no operator is known
  std::string reason;   ///< why it is no layer
  std::string shapes;   ///< its tensors, "fp16 32x64x112x112, fp16 64"; empty where none are known
  double launches = 0;  ///< kernels and copies, a step
  double time_s = 0;    ///< of all of them together, a step
};

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

/// Elementwise layers, by name, each of which reads what the one before wrote, so that one kernel
/// could do them all.
struct ElementwiseChain {
  std::vector<std::string> layers;
  double runs = 0;  ///< a step
};

/// Times are of one step; a recording of several is their mean.
struct TraceSummary {
  std::string recorder;  ///< "PyTorch profiler", "TensorRT"
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
  KernelSource kernels = KernelSource::library;
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
  /// Of the kernels' time, what layers and transfers stand for.
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

}  // namespace roofline
