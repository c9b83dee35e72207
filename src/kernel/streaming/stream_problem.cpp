#include "kernel/streaming/stream_problem.hpp"

#include <cmath>

#include "kernel/layer_sizes.hpp"

namespace roofline {

namespace {

/// What indices pick are rows, and memory moves each in whole sectors (CUDA C++ Best Practices
/// Guide, "Coalesced Access to Global Memory").
double sector_waste(const Layer& layer) {
  using enum LayerKind;
  if (layer.kind != embedding && layer.kind != gather && layer.kind != scatter) return 1;
  constexpr double sector_byte = 32;
  const double row_byte =
      static_cast<double>(layer.output.channels) * element_byte(layer.dtypes.output);
  return std::ceil(row_byte / sector_byte) * sector_byte / row_byte;
}

}  // namespace

StreamProblem stream_problem(const Layer& layer, const Counts& counts) {
  const Shape& input = layer.inputs.front().shape;
  StreamProblem p;
  p.layer = &layer;
  p.nhwc = is_nhwc(layer);
  p.batch = static_cast<double>(input.batch);
  p.channels = static_cast<double>(input.channels);
  if (layer.kind == LayerKind::instance_norm) {
    p.channels *= p.batch;
    p.batch = 1;
    p.nhwc = false;
  }
  p.input_positions = spatial_size(input);
  p.input_element = element_count(input);
  p.output_element = element_count(layer.output);
  p.input_byte = static_cast<double>(counts.bytes.input - counts.saved_byte);
  p.output_byte = static_cast<double>(counts.bytes.output);
  const auto all_byte = static_cast<double>(counts.bytes.total);
  const double written_byte = p.backward() ? p.input_byte : p.output_byte;
  const double waste = sector_waste(layer);
  p.streams = {waste * (all_byte - written_byte),
               (layer.kind == LayerKind::scatter ? waste : 1) * written_byte};
  return p;
}

}  // namespace roofline
