#include "kernel/machine/memory_traffic.hpp"

#include <algorithm>

#include "kernel/layer_sizes.hpp"

namespace roofline {
namespace {

/// Share of a convolution's input that its windows touch: strides past the window skip the rest.
/// In NHWC pixels are skipped; in NCHW whole rows would be, but a row of these layers is shorter
/// than what one access fetches.
double touched_share(const Layer& layer) {
  if (layer.kind != LayerKind::conv || !is_nhwc(layer)) return 1;
  double share = 1;
  for (std::size_t axis = 0; axis < 3; ++axis)
    share *= std::min(1.0, static_cast<double>(layer.window->kernel[axis]) /
                               static_cast<double>(layer.window->stride[axis]));
  return share;
}

}  // namespace

Streams streams_of(const Layer& layer, const Counts& counts) {
  const double input = static_cast<double>(counts.bytes.input) *
                       (layer.pass == Pass::dgrad ? 1 : touched_share(layer));
  const auto weight = static_cast<double>(counts.bytes.weight);
  const auto output = static_cast<double>(counts.bytes.output);
  switch (layer.pass) {
    case Pass::fwd: return {input + weight, output};
    case Pass::dgrad: return {output + weight, input};
    case Pass::wgrad: return {input + output, weight};
  }
  return {input + weight, output};
}

}  // namespace roofline
