#include "model/kernel/streaming/stream_problem.hpp"

#include "model/kernel/layer_sizes.hpp"

namespace roofline {

StreamProblem stream_problem(const Layer& layer, const Counts& counts) {
  const Shape& input = layer.inputs.front().shape;
  StreamProblem p;
  p.layer = &layer;
  p.nhwc = is_nhwc(layer);
  p.batch = static_cast<double>(input.batch);
  p.channels = static_cast<double>(input.channels);
  p.input_positions = spatial_size(input);
  p.input_element = element_count(input);
  p.output_element = element_count(layer.output);
  p.input_byte = static_cast<double>(counts.bytes.input - counts.saved_byte);
  p.output_byte = static_cast<double>(counts.bytes.output);
  const auto all_byte = static_cast<double>(counts.bytes.total);
  const double written_byte = p.backward() ? p.input_byte : p.output_byte;
  p.streams = {all_byte - written_byte, written_byte};
  return p;
}

}  // namespace roofline
