#pragma once

// A GPU as a run sees it: what is asked of it and what follows from that, resolved once. Nothing
// changes it afterwards, and every evaluation reads it.

#include <cstdint>
#include <optional>
#include <vector>

#include "roofline/gpu.hpp"
#include "roofline/kernel.hpp"
#include "roofline/kernel_model.hpp"
#include "roofline/memory.hpp"
#include "roofline/roofline.hpp"

namespace roofline {

/// Host memory that copies go to and come from: page-locked, or ordinary and so staged by the
/// driver.
enum class HostMemory : std::uint8_t { pinned, pageable };

struct AnalysisOptions {
  EngineChoice engine = EngineChoice::automatic;
  CeilingKind ceilings = CeilingKind::datasheet;  ///< datasheet or sustained
  bool training = false;                          ///< all three passes; else each layer's own
  bool fuse_epilogues = false;
  std::optional<HostMemory> host_copies;
  CacheState cache = CacheState::warm;
  Optimizer optimizer = Optimizer::sgd;  ///< of training, which keeps its state
  /// A person's own ceilings, sustained on this part: of the engine of the dense layers, and of
  /// device memory.
  std::optional<double> peak_flop_per_s;
  std::optional<double> bandwidth_byte_per_s;
};

struct Context {
  Gpu gpu;
  AnalysisOptions options;
  Ceilings ceilings;  ///< without the person's own peak, whose engine depends on the layers
  std::optional<double> host_copy_byte_per_s;  ///< where host copies are asked for
  KernelModel kernel;                          ///< under these ceilings
  /// The same with the person's own peak as that of one engine, by engine; empty without one.
  std::vector<KernelModel> kernel_by_engine;
};

/// Throws UsageError where the GPU does not state what the options ask of it.
Context make_context(Gpu gpu, const AnalysisOptions& options);

/// The context's ceilings, the person's own peak put in as that of `engine`.
Ceilings ceilings_for(const Context& context, Engine engine);
/// The part's roofs, the sustained ones those of the kernel model under `engine`'s ceilings.
Roofs roofs_for(const Context& context, Engine engine);
/// The kernel model under those ceilings.
const KernelModel& kernel_model_for(const Context& context, Engine engine);

}  // namespace roofline
