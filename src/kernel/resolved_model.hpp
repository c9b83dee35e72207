#pragma once

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
  double rate_flop_per_s = 0;  ///< stated ceiling: datasheet peak or sustained
  double peak_flop_per_s = 0;  ///< reference of the shares in `constants`
  std::string peak_origin;
  double math_share = 1;  ///< of its class, for this GPU and engine
  std::string math_origin;
  double built_math_share = 1;  ///< the same for kernels picked by an engine's builder
  std::string built_math_origin;
  double load_share = 1;   ///< of operand loads beside arithmetic at half rate
  double start_share = 1;  ///< of the time kernels take beyond an empty one; 0 for a stated launch
  LibraryFeatures features{};
  const DenseConstants* constants = nullptr;
};

/// The rate of large dense kernels, at which a layer's own FLOP count as arithmetic.
constexpr double practical_flop_per_s(const EngineModel& engine) {
  return engine.peak_flop_per_s * engine.math_share;
}

struct ResolvedModel {
  std::string gpu;
  std::vector<std::string> assumptions;
  Machine machine;
  MemorySystem memory;
  EnumArray<Engine, std::optional<EngineModel>> engines;
  EnumArray<DataType, std::optional<Engine>> dense_engine;
  std::shared_ptr<const ModelConstants> constants;
  LibraryRelease library;  ///< whose kernels run
  /// For this GPU, nearest basis first, and specific entries before general ones.
  std::shared_ptr<const FoundErrors> errors;
};

/// Null if the GPU lacks the engine.
constexpr const EngineModel* engine_model(const ResolvedModel& model, Engine engine) {
  const std::optional<EngineModel>& found = model.engines[engine];
  return found ? &*found : nullptr;
}

}  // namespace roofline
