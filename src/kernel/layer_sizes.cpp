#include "kernel/layer_sizes.hpp"

#include <cstddef>

#include "model/window_reads.hpp"

namespace roofline {

Mirror mirror_of(const Layer& layer) {
  const Shape& in = layer.inputs.front().shape;
  if (layer.kind != LayerKind::conv_transpose) return {&in, &layer.output, layer.pass};
  const Pass pass = layer.pass == Pass::fwd     ? Pass::dgrad
                    : layer.pass == Pass::dgrad ? Pass::fwd
                                                : Pass::wgrad;
  return {&layer.output, &in, pass};
}

bool is_line(const Layer& layer) {
  const Window& window = *layer.window;
  if (window.rank != 2) return window.rank == 1;
  return layer.inputs.front().shape.spatial[1] == 1 && layer.output.spatial[1] == 1 &&
         window.kernel[1] == 1;
}

double skipped_byte(const Layer& layer, std::size_t axes) {
  const Mirror mirror = mirror_of(layer);
  if (mirror.pass == Pass::dgrad) return 0;
  const Shape& image = *mirror.input;
  double read = 1;
  double moved = 1;
  for (std::size_t axis = 3U - image.spatial_rank; axis < 3; ++axis) {
    const auto positions = static_cast<double>(positions_read(layer, axis));
    const bool skips = axis < axes && layer.window->dilation[axis] == 1;
    read *= positions;
    moved *= skips ? positions : static_cast<double>(image.spatial[axis]);
  }
  return static_cast<double>(image.batch) * static_cast<double>(image.channels) * (moved - read) *
         element_byte(layer.dtypes.input);
}

Streams streams_of(const Layer& layer, const Counts& counts) {
  const auto input = static_cast<double>(counts.bytes.input);
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
