#pragma once

// A GPU with the options of a run, resolved once. Immutable; read by every evaluation.

#include <cstddef>
#include <cstdint>
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
#include "roofline/roofline_point.hpp"

namespace roofline {

/// What runs inside another layer's kernel: only a convolution's bias (none); norms, activations
/// and adds, in contractions (epilogue, TensorRT); all but contractions, in a compiler's kernels
/// (pointwise, torch.compile); nothing, not even a convolution's bias (eager, PyTorch).
enum class FusionKind : std::uint8_t { none, epilogue, pointwise, eager };

/// All frameworks run attention written as two products and a softmax in one kernel.
struct FrameworkInfo {
  std::string_view name;
  std::string_view product;  ///< as its makers write it
  std::string_view meaning;
  EngineChoices engine{};  ///< on NVIDIA GPUs; elsewhere each data type's own engine
  FusionKind fusion = FusionKind::none;
  LaunchProtocol launch = LaunchProtocol::graph;
  std::optional<Layout> layout{};  ///< of images; nullopt: usual_layout, or the engine's choice
  bool only_nvidia = false;
};

/// Sources: PyTorch 2.11, "CUDA semantics" (TF32 is on for convolutions and off for products) and
/// "Memory format" (contiguous unless channels last is asked for; Inductor's layout optimisation
/// takes channels last); TensorRT 10, "Best practices" (TF32 is on).
constexpr FrameworkInfo info(Framework framework) {
  constexpr EngineChoices tf32_convolutions{EngineChoice::tf32, EngineChoice::automatic};
  switch (framework) {
    case Framework::pytorch:
      return {"pytorch",         "PyTorch",         "PyTorch, operator by operator",
              tf32_convolutions, FusionKind::eager, LaunchProtocol::eager,
              Layout::nchw};
    case Framework::torch_compile:
      return {"torch-compile",
              "torch.compile",
              "PyTorch with torch.compile(mode=\"reduce-overhead\")",
              tf32_convolutions,
              FusionKind::pointwise,
              LaunchProtocol::graph,
              Layout::nhwc};
    case Framework::tensorrt:
      return {"tensorrt",           "TensorRT",
              "TensorRT",           EngineChoice::tf32,
              FusionKind::epilogue, LaunchProtocol::stream,
              std::nullopt,         true};
    case Framework::deployed:
      return {"deployed", "deployed", "TensorRT on NVIDIA, torch.compile elsewhere"};
  }
  return {};
}

constexpr std::string_view name_of(Framework framework) { return info(framework).name; }

/// Host memory of copies: page-locked, or ordinary memory staged by the driver.
enum class HostMemory : std::uint8_t { pinned, pageable };

/// Kernels of convolutions: the fastest of the library, as by autotuning, or those that its
/// heuristic picks.
enum class Tuning : std::uint8_t { best, heuristic };

struct AnalysisOptions {
  std::optional<Framework> framework;  ///< its defaults hold for options left unset
  EngineChoices engine;
  CeilingKind ceilings = CeilingKind::datasheet;
  bool training = false;  ///< all three passes; else each layer's own
  FusionKind fusion = FusionKind::none;
  /// Runs attention written as two products and a softmax in one kernel.
  bool fused_attention = false;
  std::optional<Layout> layout;  ///< of images without a stated layout; nullopt: usual_layout
  std::optional<HostMemory> host_copies;
  CacheState cache = CacheState::warm;
  ClockState clock = ClockState::busy;
  Tuning tuning = Tuning::best;
  std::optional<LibraryRelease> library;  ///< nullopt: library_of() the GPU's own model
  Optimizer optimizer = Optimizer::sgd;   ///< its state takes memory
  /// Unset: stream for FusionKind::epilogue (an inference engine), else graph.
  std::optional<LaunchProtocol> launch;
  /// Threads for the layers of one large network. Results do not depend on it.
  std::size_t threads = 1;
};

AnalysisOptions options_of(Framework framework);
/// The framework's engine, fusion, layout and launch where the options state none.
AnalysisOptions with_defaults(AnalysisOptions options, Framework framework);

struct Context {
  Gpu gpu;
  AnalysisOptions options;  ///< with the framework's engines on this GPU
  Ceilings ceilings;
  std::optional<double> host_copy_byte_per_s;  ///< present if host copies are asked for
  Launch launch;                               ///< of layers outside recordings
  KernelModel kernel;
  /// Assumptions in place of missing GPU data, one sentence each.
  std::vector<std::string> assumptions;
  std::vector<std::string>
      gpu_names{};  ///< all of the GPU's, in the form in which they are compared
};

/// An error if the GPU's file lacks data which the options need.
Expected<Context> make_context(Gpu gpu, const AnalysisOptions& options);

/// Practical roofs are the kernel model's.
Roofs roofs_of(const Context& context);
/// How kernels are launched; recordings and engines have their own way.
Launch launch_of(RunsAs runs_as, const Context& context);

}  // namespace roofline
