#pragma once

// A recording of kernels under the roofs of its GPU: what each kernel took and, where hardware
// counters were read, where it stands on the hierarchical roofline (Yang, Kurth, Williams,
// "Hierarchical Roofline Analysis for GPUs", Concurrency and Computation: Practice and Experience
// 32(20), 2020). A kernel has one intensity for each level of memory: its FLOP over the
// bytes that moved there. What counters saw includes the work of a tile's padding and traffic that
// no algorithm asks for; there is no layer to hold it against.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/analysis.hpp"
#include "roofline/context.hpp"
#include "roofline/enumeration.hpp"
#include "roofline/gpu.hpp"
#include "roofline/recording.hpp"

namespace roofline {

/// The ceilings of the hierarchical roofline.
enum class KernelRoof : std::uint8_t { compute, dram, l2 };

struct KernelRow {
  RecordedKernel kernel;
  double time_share = 0;         ///< 0..1, of all kernels' time
  std::optional<double> flop;    ///< that all units did
  std::optional<Engine> engine;  ///< the units whose FLOP take the longest at their peak
  std::optional<double> flop_per_s;
  std::optional<double> dram_byte_per_s;
  std::optional<double> l2_byte_per_s;
  std::optional<double> intensity_flop_per_byte;  ///< over what DRAM moved
  std::optional<double> l2_intensity_flop_per_byte;
  /// Achieved rate over ceiling, by KernelRoof; of compute, that of `engine`.
  EnumArray<KernelRoof, std::optional<double>> roof_share;
  std::optional<KernelRoof> nearest_roof;  ///< the largest share
};

/// A recording under the roofs of its GPU.
struct KernelTable {
  std::shared_ptr<const KernelRecording> recording;
  std::string gpu;               ///< as the catalogue names it, else as recorded; may be empty
  std::optional<Bounds> bounds;  ///< absent where no counters were read or the GPU is not known
  std::vector<KernelRow> rows;   ///< in descending order of time
  double time_s = 0;             ///< that all kernels took
  std::uint64_t launches = 0;
};

/// `context`: of the GPU that it was recorded on; null where that is not known.
KernelTable place_kernels(std::shared_ptr<const KernelRecording> recording, const Context* context);

}  // namespace roofline
