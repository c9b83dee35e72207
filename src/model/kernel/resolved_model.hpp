#pragma once

// What a KernelModel holds.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/kernel/constants.hpp"
#include "model/kernel/machine.hpp"
#include "model/kernel/memory_system.hpp"
#include "roofline/data_type.hpp"
#include "roofline/engine.hpp"

namespace roofline {

struct EngineModel {
  Engine engine = Engine::fp32;
  double rate_flop_per_s = 0;  ///< ceiling as stated: datasheet peak, or a sustained rate
  double peak_flop_per_s = 0;  ///< that the shares of `constants` are of
  std::string peak_origin;
  DenseConstants constants;  ///< of its class, for this part and engine
  LibraryFeatures features;
  const DenseConstants* set = nullptr;  ///< as ModelConstants holds them
  std::string math_origin;              ///< of constants.math_share
};

/// What large dense kernels sustain: the rate at which a layer's own FLOP count as arithmetic.
constexpr double sustained_flop_per_s(const EngineModel& engine) {
  return engine.peak_flop_per_s * engine.constants.math_share;
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
};

constexpr const std::optional<EngineModel>& engine_model(const ResolvedModel& model,
                                                         Engine engine) {
  return model.engines[engine];
}

}  // namespace roofline
