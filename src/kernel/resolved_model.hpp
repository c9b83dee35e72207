#pragma once

// What a KernelModel holds.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/machine.hpp"
#include "roofline/data_type.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

struct EngineModel {
  Engine engine = Engine::fp32;
  double rate_flop_per_s = 0;  ///< ceiling as stated: datasheet peak, or a sustained one
  double peak_flop_per_s = 0;  ///< that the shares of `constants` are of
  std::string peak_origin;
  double math_share = 1;  ///< of its class, for this part and engine
  std::string math_origin;
  double built_math_share = 1;  ///< the same of kernels that an engine's builder picks
  std::string built_math_origin;
  double library_clock_share = 1;  ///< of the clock, where the GEMM library's power lowers it more
  double load_share = 1;   ///< of operand loads beside arithmetic, where that runs at half rate
  double start_share = 1;  ///< of what kernels take beyond an empty one: 0 where a launch is stated
  LibraryFeatures features{};
  const DenseConstants* constants = nullptr;  ///< of its class, in ResolvedModel::constants
};

/// What large dense kernels reach: the rate at which a layer's own FLOP count as arithmetic.
constexpr double practical_flop_per_s(const EngineModel& engine) {
  return engine.peak_flop_per_s * engine.math_share;
}

struct ResolvedModel {
  std::string gpu;
  std::vector<std::string> assumptions;
  Machine machine;
  MemorySystem memory;
  EnumArray<Engine, std::optional<EngineModel>> engines;
  /// The engine that multiplies dense matrices of a type, where there is one.
  EnumArray<DataType, std::optional<Engine>> dense_engine;
  std::shared_ptr<const ModelConstants> constants;
  /// That hold for the GPU, the nearest basis first and what says most of a layer before what says
  /// less.
  MeasuredErrors errors;
};

/// None where the part lacks the engine.
constexpr const EngineModel* engine_model(const ResolvedModel& model, Engine engine) {
  const std::optional<EngineModel>& found = model.engines[engine];
  return found ? &*found : nullptr;
}

}  // namespace roofline
