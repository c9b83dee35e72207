#pragma once

// Who runs a network: what a framework does where nothing else is asked for, one row a framework.

#include <cstdint>
#include <optional>
#include <string_view>

#include "roofline/enumeration.hpp"
#include "roofline/kernel.hpp"
#include "roofline/layer.hpp"
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

}  // namespace roofline
