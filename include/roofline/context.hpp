#pragma once

// A GPU as a run sees it: what is asked of it and what follows from that, resolved once. Nothing
// changes it afterwards, and every evaluation reads it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/enumeration.hpp"
#include "roofline/error.hpp"
#include "roofline/gpu.hpp"
#include "roofline/kernel.hpp"
#include "roofline/layer.hpp"
#include "roofline/network.hpp"
#include "roofline/recording.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

/// What runs inside the kernel of the layer before: nothing but the bias of a convolution; norms,
/// activations and adds in contractions (TensorRT); chains of them in one kernel (torch.compile);
/// or nothing at all, so that a convolution's bias is an elementwise kernel too (PyTorch).
enum class FusionKind : std::uint8_t { none, epilogue, pointwise, eager };

enum class Framework : std::uint8_t { pytorch, torch_compile, tensorrt };

/// A framework's defaults. All of them run attention that is written out as two products and a
/// softmax in one kernel.
struct FrameworkInfo {
  std::string_view name;
  std::string_view meaning;
  EngineChoices engine;  ///< on NVIDIA GPUs; elsewhere the one of each data type
  FusionKind fusion = FusionKind::none;
  LaunchProtocol launch = LaunchProtocol::graph;
  std::optional<Layout> layout;  ///< of images; none: usual_layout, or as an engine chooses
  bool only_nvidia = false;
};

/// Sources: PyTorch 2.11, "CUDA semantics" (TF32 is on for convolutions and off for products) and
/// "Memory format" (contiguous unless channels last is asked for; Inductor's layout optimisation
/// takes channels last); TensorRT 10, "Best practices" (TF32 is on).
constexpr FrameworkInfo info(Framework framework) {
  constexpr EngineChoices tf32_convolutions{EngineChoice::tf32, EngineChoice::automatic};
  switch (framework) {
    case Framework::pytorch:
      return {"pytorch",
              "PyTorch, operator by operator",
              tf32_convolutions,
              FusionKind::eager,
              LaunchProtocol::eager,
              Layout::nchw,
              false};
    case Framework::torch_compile:
      return {"torch-compile",
              "PyTorch with torch.compile(mode=\"reduce-overhead\")",
              tf32_convolutions,
              FusionKind::pointwise,
              LaunchProtocol::graph,
              Layout::nhwc,
              false};
    case Framework::tensorrt:
      return {"tensorrt",
              "TensorRT",
              EngineChoice::tf32,
              FusionKind::epilogue,
              LaunchProtocol::stream,
              std::nullopt,
              true};
  }
  return {};
}

constexpr std::string_view name_of(Framework framework) { return info(framework).name; }

/// Host memory that copies go to and come from: page-locked, or ordinary and so staged by the
/// driver.
enum class HostMemory : std::uint8_t { pinned, pageable };

struct AnalysisOptions {
  std::optional<Framework> framework;  ///< whose defaults the others are, if nothing else is said
  EngineChoices engine;
  CeilingKind ceilings = CeilingKind::datasheet;  ///< datasheet or sustained
  bool training = false;                          ///< all three passes; else each layer's own
  FusionKind fusion = FusionKind::none;
  /// Attention that is written out as two products and a softmax runs in one kernel.
  bool fused_attention = false;
  std::optional<Layout> layout;  ///< of images whose layer states none; none: usual_layout
  std::optional<HostMemory> host_copies;
  CacheState cache = CacheState::warm;
  Optimizer optimizer = Optimizer::sgd;  ///< of training, which keeps its state
  /// Unset: a stream of library calls for an inference engine's kernels (FusionKind::epilogue), a
  /// graph for all others.
  std::optional<LaunchProtocol> launch;
  /// A person's own ceilings, sustained on this part: of the engine of the dense layers, and of
  /// device memory.
  std::optional<double> peak_flop_per_s;
  std::optional<double> bandwidth_byte_per_s;
  /// That may time the layers of one large network, at the same time. Results do not depend on it.
  std::size_t threads = 1;
};

/// What the framework does where nothing else is said.
AnalysisOptions options_of(Framework framework);

struct Context {
  Gpu gpu;
  AnalysisOptions options;  ///< the engines as the framework has them on this GPU
  Ceilings ceilings;        ///< without the person's own peak, whose engine depends on the layers
  std::optional<double> host_copy_byte_per_s;  ///< where host copies are asked for
  Launch launch;                               ///< of layers that no recording holds
  KernelModel kernel;                          ///< under these ceilings
  /// The same with the person's own peak as that of one engine, by engine; empty without one.
  std::vector<KernelModel> kernel_by_engine;
  /// What is taken for granted where the GPU's file is silent, a plain sentence each.
  std::vector<std::string> assumptions;
};

/// An error where the GPU does not state what the options ask of it.
Expected<Context> make_context(Gpu gpu, const AnalysisOptions& options);

/// The context's ceilings, the person's own peak put in as that of `engine`.
Ceilings ceilings_for(const Context& context, Engine engine);
/// The part's roofs, the practical ones those of the kernel model under `engine`'s ceilings.
Roofs roofs_for(const Context& context, Engine engine);
/// What stands between kernels: of what ran or was built, what its times hold.
Launch launch_of(RunsAs runs_as, const Context& context);
/// The kernel model under those ceilings.
const KernelModel& kernel_model_for(const Context& context, Engine engine);

}  // namespace roofline
