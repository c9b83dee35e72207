// Products: recurrent networks and cells.

#include <cstdint>
#include <span>
#include <utility>

#include "operators/building.hpp"
#include "operators/table.hpp"

namespace roofline {
namespace {

/// All stacked layers and directions of a network are one layer, whose steps wait for each other.
Layers recurrent(const Operation& operation) {
  const Attributes& attributes = operation.attributes;
  Sizes sizes = first_sizes(operation);
  if (sizes.size() != 3 || attributes.state == 0 || attributes.layers == 0) return {};
  if (!attributes.batch_first) std::swap(sizes[0], sizes[1]);
  auto spec = layer_of(operation, operation.row->kind, sizes);
  if (!spec) return {};
  set_weight_type(operation, *spec);
  spec->in_features = sizes[2];
  spec->hidden_size = attributes.state;
  if (attributes.layers > 1) spec->num_layers = attributes.layers;
  spec->bidirectional = attributes.bidirectional;
  spec->bias = attributes.bias;
  return named(operation, *spec);
}

}  // namespace

std::span<const OperatorRow> matrix_operators() {
  using enum LayerKind;
  static constexpr OperatorRow rows[] = {
      // Libraries name the kind by a mode.
      {"lstm", recurrent, lstm, "LSTM",
       "lstm: input states weight bias layers - - bidirectional batch_first;"
       "lstm_cell: input states weight - bias;"
       "_cudnn_rnn: input weight weights - states - mode - - layers batch_first - - bidirectional;"
       "miopen_rnn: input weight weights states - mode - layers batch_first - - bidirectional"},
      {"gru", recurrent, gru, "GRU",
       "gru: input states weight bias layers - - bidirectional batch_first;"
       "gru_cell: input states weight - bias"},
      {"rnn", recurrent, rnn, "RNN",
       "rnn_tanh rnn_relu: input states weight bias layers - - bidirectional batch_first;"
       "rnn_tanh_cell rnn_relu_cell: input states weight - bias"},
  };
  return rows;
}

}  // namespace roofline
