#include "kernel/layer_sizes.hpp"

#include <algorithm>

namespace roofline {

Mirror mirror_of(const Layer& layer) {
  const Shape& in = layer.inputs.front().shape;
  if (layer.kind != LayerKind::conv_transpose) return {&in, &layer.output, layer.pass};
  const Pass pass = layer.pass == Pass::fwd     ? Pass::dgrad
                    : layer.pass == Pass::dgrad ? Pass::fwd
                                                : Pass::wgrad;
  return {&layer.output, &in, pass};
}

double touched_share(const Window& window, std::size_t axes) {
  double share = 1;
  for (std::size_t axis = 0; axis < axes; ++axis)
    share *= std::min(
        1.0, static_cast<double>(window.kernel[axis]) / static_cast<double>(window.stride[axis]));
  return share;
}

Streams streams_of(const Layer& layer, const Counts& counts) {
  // In NHWC pixels are skipped; in NCHW whole rows would be, but a row of these layers is shorter
  // than what one access fetches.
  const bool skips = layer.kind == LayerKind::conv && layer.pass != Pass::dgrad && is_nhwc(layer);
  const double input =
      static_cast<double>(counts.bytes.input) * (skips ? touched_share(*layer.window, 3) : 1);
  const auto weight = static_cast<double>(counts.bytes.weight);
  const auto output = static_cast<double>(counts.bytes.output);
  switch (layer.pass) {
    case Pass::fwd: break;
    case Pass::dgrad: return {output + weight, input};
    case Pass::wgrad: return {input + output, weight};
  }
  return {input + weight, output};
}

}  // namespace roofline
