#include "model/kernel/stream_problem.hpp"

#include "model/kernel/layer_sizes.hpp"

namespace roofline {

StreamProblem stream_problem(const Layer& layer, const Counts& counts, const Machine& machine) {
  const Shape& input = layer.inputs.front().shape;
  StreamProblem p;
  p.layer = &layer;
  p.machine = &machine;
  p.inner = channels_innermost(layer);
  p.batch = static_cast<double>(input.batch);
  p.channels = static_cast<double>(input.channels);
  p.input_plane = spatial_size(input);
  p.output_plane = spatial_size(layer.output);
  p.input_element = element_count(input);
  p.output_element = element_count(layer.output);
  // Backward passes count what was saved beside the gradient that they make.
  const bool saved = p.backward() && info(layer.kind).saved != Saved::nothing;
  p.input_byte = static_cast<double>(counts.bytes.input) / (saved ? 2 : 1);
  p.output_byte = static_cast<double>(counts.bytes.output);
  const auto all_byte = static_cast<double>(counts.bytes.total);
  const double written_byte = p.backward() ? p.input_byte : p.output_byte;
  p.streams = {all_byte - written_byte, written_byte};
  return p;
}

ThroughputWork start_of(const StreamKernel& kernel, Algorithm algorithm, const StreamProblem& p) {
  ThroughputWork work;
  work.constant = &kernel.start_s;
  work.algorithm = algorithm;
  work.start_s = kernel.start_s;
  work.rounds.add("of the kernel", 1, kernel.rounds);
  work.in_flight_byte = kernel.in_flight_byte * p.machine->sm_count;
  work.streams = p.streams;
  return work;
}

ThroughputWork work_of(const StreamKernel& kernel, Algorithm algorithm, const StreamProblem& p) {
  ThroughputWork work = start_of(kernel, algorithm, p);
  work.clocks.add("outputs", p.output_element, kernel.element_clock);
  return work;
}

}  // namespace roofline
