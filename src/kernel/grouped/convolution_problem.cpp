#include "kernel/grouped/convolution_problem.hpp"

#include <algorithm>
#include <cstdint>

#include "kernel/layer_sizes.hpp"

namespace roofline {
namespace {

/// Of a longer window, every so many taps stand for those after them: looking at 2^32 takes
/// seconds.
constexpr std::uint64_t most_taps = std::uint64_t{1} << 20;

/// Mean number of window taps along one axis that fall inside the input, over all outputs.
double valid_taps_of_axis(const Window& window, std::size_t axis, std::uint64_t input,
                          std::uint64_t output) {
  const std::uint64_t stride = window.stride[axis];
  const std::uint64_t pad = window.pad_begin[axis];
  const std::uint64_t last_input = pad + input - 1;  // where the window has the padding before it
  const std::uint64_t last_output = output - 1;
  const std::uint64_t taps = window.kernel[axis];
  const std::uint64_t step = (taps - 1) / most_taps + 1;
  double pairs = 0;
  for (std::uint64_t tap = 0; tap < taps; tap += step) {
    // Outputs o with pad <= o * stride + offset <= last_input.
    const std::uint64_t offset = tap * window.dilation[axis];
    if (offset > last_input) continue;
    const std::uint64_t first = offset >= pad ? 0 : (pad - offset - 1) / stride + 1;
    const std::uint64_t last = std::min(last_output, (last_input - offset) / stride);
    if (first > last) continue;
    pairs +=
        static_cast<double>(std::min(step, taps - tap)) * static_cast<double>(last - first + 1);
  }
  return pairs / static_cast<double>(output);
}

}  // namespace

ConvolutionProblem convolution_problem(const Layer& layer, const Counts& counts) {
  const bool transposed = layer.kind == LayerKind::conv_transpose;
  const Shape& input = transposed ? layer.output : layer.inputs.front().shape;
  const Shape& output = transposed ? layer.inputs.front().shape : layer.output;
  ConvolutionProblem p;
  p.layer = &layer;
  p.input = &input;
  p.output = &output;
  p.pass = transposed ? mirrored(layer.pass) : layer.pass;
  p.nhwc = is_nhwc(layer);
  p.element_byte = element_byte(layer.dtypes.input);
  p.is_16bit = p.element_byte <= 2;
  p.batch = static_cast<double>(input.batch);
  p.groups = static_cast<double>(layer.groups);
  p.group_in = static_cast<double>(input.channels) / p.groups;
  p.group_out = static_cast<double>(output.channels) / p.groups;
  p.taps = window_taps(*layer.window);
  p.stride = window_stride(*layer.window);
  p.input_positions = spatial_size(input);
  p.output_positions = spatial_size(output);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double valid =
        valid_taps_of_axis(*layer.window, axis, input.spatial[axis], output.spatial[axis]);
    p.valid_taps *= valid;
    if (axis < 2) p.valid_rows *= valid;
  }
  p.streams = streams_of(layer, counts);
  return p;
}

}  // namespace roofline
