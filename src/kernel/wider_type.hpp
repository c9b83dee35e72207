#pragma once

// A layer in a type of fewer than 16 bits, run in 16. The builder of an inference engine times its
// kernels of both and keeps the faster, the tensors around the layer being in 16 bits as well.

#include <optional>

#include "kernel/resolved_model.hpp"
#include "roofline/layer.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {

struct WiderLayer {
  Layer layer;
  Counts counts;
  Engine engine = Engine::fp16_tensor;
};

/// None where nobody chooses: for a type of 16 bits and more, sums that are asked for in int32, a
/// stated mapping, an engine that is not the one of its type, and where 16 bits have the higher
/// peak (V100, B300), so that no time is below the roofline of the type that is asked for.
std::optional<WiderLayer> in_16_bits(const Layer& layer, Engine engine, const ResolvedModel& model);

}  // namespace roofline
