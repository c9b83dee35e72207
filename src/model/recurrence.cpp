#include "model/recurrence.hpp"

#include <cstdint>

namespace roofline {
namespace {

std::uint64_t gates_of(LayerKind kind) {
  return kind == LayerKind::lstm ? 4 : kind == LayerKind::gru ? 3 : 1;
}

}  // namespace

Recurrence recurrence_of(const Layer& layer) {
  const Shape& input = layer.inputs.front().shape;
  Recurrence of;
  of.samples = input.batch;
  of.steps = input.spatial[2];
  of.features = input.channels;
  of.directions = layer.bidirectional ? 2 : 1;
  of.state = layer.output.channels / of.directions;
  of.gates = gates_of(layer.kind);
  of.layers = layer.num_layers.value_or(1);
  return of;
}

}  // namespace roofline
