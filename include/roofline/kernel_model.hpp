#pragma once

// The kernel model of one GPU: machine, memory system and constants of every engine, resolved once
// so that planning a layer looks nothing up and allocates nothing.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roofline/engine.hpp"
#include "roofline/error.hpp"
#include "roofline/gpu.hpp"

namespace roofline {

struct ResolvedModel;  // src/kernel/resolved_model.hpp

/// Immutable; copies share what they hold, and it owes nothing to the Gpu that it was made of.
class KernelModel {
 public:
  explicit KernelModel(ResolvedModel resolved);

  /// The GPU's name.
  const std::string& gpu() const;
  /// What the model takes for granted where the GPU's file is silent, a plain sentence each.
  const std::vector<std::string>& assumptions() const;

  const ResolvedModel& resolved() const { return *resolved_; }

 private:
  std::shared_ptr<const ResolvedModel> resolved_;
};

/// The GPU must hold constants, as those that load_gpu returns do.
Expected<KernelModel> kernel_model_of(const Gpu& gpu);

/// The same model under ceilings that were measured: what the best real kernels reach, not what
/// they fall short of. The bandwidth takes the place of the datasheet's times its practical share.
/// A peak is scaled so that a matrix product large enough to hide all else, on the best tile of the
/// library, runs at exactly that rate. What is absent stays as it was. Rates in FLOP/s and byte/s.
KernelModel with_sustained(const KernelModel& model, const EngineRates& peak_flop_per_s,
                           std::optional<double> bandwidth_byte_per_s);

}  // namespace roofline
