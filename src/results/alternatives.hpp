#pragma once

// A layer with something changed, as the model times it: started as its own time was.

#include <cstdint>
#include <optional>

#include "roofline/analysis.hpp"

namespace roofline {

/// As much work of `factor` batches in one.
void multiply_batch(Layer& layer, std::uint64_t factor);
/// All operands in that type and the layout that its libraries take.
void set_type(Layer& layer, DataType type);

class Alternatives {
 public:
  Alternatives(const Result& result, const Context& context)
      : context_(context),
        model_(kernel_model_for(context, result.bounds.main_engine)),
        launch_(launch_of(result.measured.recording, context)) {}

  /// None where no kernel runs it.
  std::optional<double> time_s(const Layer& layer, Engine engine) const;
  /// On the engine that such a layer would run on.
  std::optional<double> time_s(const Layer& layer) const;
  /// Of as much work as one such layer, at `factor` times its batch.
  std::optional<double> at_batch_s(const LayerResult& row, std::uint64_t factor) const;
  /// With all operands in that type.
  std::optional<double> in_type_s(const LayerResult& row, DataType type) const;

 private:
  const Context& context_;
  const KernelModel& model_;
  Launch launch_;
};

/// Whether the row's batch is of images or other samples, of which more can run together: not where
/// its rows are gradients of weights, single values, or tokens of sequences, nor in a recorded step
/// of training.
bool has_batch_of_samples(const LayerResult& row, const Result& result);

/// Whether the row's images lie otherwise than the libraries for half types take them.
bool changes_layout_in_half(const LayerResult& row);

/// Whether the row is a layer of a network in a type of more than 16 bits that half types can
/// replace: not what counts, converts or updates weights.
bool may_be_half(const LayerResult& row, const Result& result);

}  // namespace roofline
