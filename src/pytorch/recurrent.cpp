// LSTM, GRU and RNN: whole networks, single cells, and the kernels of cells.

#include "pytorch/operator_table.hpp"

namespace roofline {
namespace {

Layers product_layers(const OperatorCall& call, const TensorArgument& input,
                      const RecurrentLayer& layer, bool bias) {
  Layers layers;
  for (const RecurrentProduct& product : products_of(layer)) {
    const Sizes sizes{product.positions, product.in_features};
    LayerSpec spec =
        named_layer(LayerKind::linear, std::string(base_name(call.name)) + "." + product.part,
                    sizes_text(sizes) + " to " + std::to_string(product.out_features),
                    multiplied_type(call, *input.type));
    const bool is_first = layers.empty();
    spec.input = is_first ? operand_of(input, sizes) : whole_operand(sizes);
    spec.in_features = product.in_features;
    spec.out_features = product.out_features;
    spec.bias = bias;
    layers.push_back(std::move(spec));
  }
  return layers;
}

/// Of cuDNN's and MIOpen's modes: RNN with ReLU and tanh, LSTM, GRU.
std::optional<std::uint64_t> gates_of(const OperatorCall& call) {
  const auto mode = call["mode"].integer();
  if (mentions(call.name, {"lstm"}) || mode == 2) return 4;
  if (mentions(call.name, {"gru"}) || mode == 3) return 3;
  const bool is_plain = mentions(call.name, {"rnn_tanh", "rnn_relu"}) || mode == 0 || mode == 1;
  return is_plain ? std::optional<std::uint64_t>(1) : std::nullopt;
}

/// The first of a list.
const TensorArgument* first_tensor(const Argument& argument) {
  return argument.tensors.empty() ? nullptr : &argument.tensors.front();
}

/// A layer reads all directions of the one below it.
Layers stacked(const OperatorCall& call, std::uint64_t layers, bool bidirectional, bool bias) {
  const TensorArgument* input = call["input"].typed_tensor();
  // A list has the hidden states before the cells'; a projection makes them smaller.
  const Argument& states = call["states"];
  const TensorArgument* state = first_tensor(states);
  const auto gates = gates_of(call);
  if (input == nullptr || state == nullptr || state->rank() < 2 || !gates ||
      element_count(input->sizes) == 0 || layers == 0 ||
      states.tensors.back().sizes.back() != state->sizes.back())
    return {};
  const std::uint64_t directions = bidirectional ? 2 : 1;
  RecurrentLayer layer{.features = input->sizes.back(), .state = state->sizes.back()};
  layer.positions = element_count(input->sizes) / layer.features;
  layer.gates = directions * *gates * layer.state;
  Layers all;
  for (std::uint64_t i = 0; i < layers; ++i) {
    for (LayerSpec& product : product_layers(call, *input, layer, bias))
      all.push_back(std::move(product));
    if (i == 0)
      layer.features = directions * layer.state;
    else
      all[all.size() - 2].input = whole_operand({layer.positions, layer.features});
  }
  return all;
}

Layers network(const OperatorCall& stated) {
  // Packed sequences have their lengths behind the input.
  OperatorCall call = stated;
  if (argument_at(*call.arguments, 3).is_list)
    call.argument_names = "input - states weight bias layers - - bidirectional";
  return stacked(call, call["layers"].integers().empty() ? 0 : call["layers"].integers().front(),
                 call["bidirectional"].flag().value_or(false), call["bias"].flag().value_or(true));
}

/// A library's: a layer has four weights, or two without biases.
Layers library_network(const OperatorCall& call) {
  constexpr std::int64_t with_biases = 4;
  return stacked(call, call["layers"].integers().empty() ? 0 : call["layers"].integers().front(),
                 call["bidirectional"].flag().value_or(false),
                 call["weights"].integer().value_or(with_biases) >= with_biases);
}

Layers cell(const OperatorCall& call) {
  const TensorArgument* input = call["input"].typed_tensor();
  const TensorArgument* state = first_tensor(call["states"]);
  const TensorArgument* weight = call["weight"].tensor();
  if (input == nullptr || state == nullptr || weight == nullptr || state->sizes.empty() ||
      element_count(input->sizes) == 0)
    return {};
  const std::uint64_t features = input->sizes.back();
  return product_layers(
      call, *input,
      {element_count(input->sizes) / features, features, state->sizes.back(), weight->sizes[0]},
      call["bias"].tensor() != nullptr);
}

/// Behind both products of a cell. Writes the state, an LSTM's cell, and what a backward pass
/// reads: six times the state together.
Layers cell_kernel(const OperatorCall& call) {
  const TensorArgument* gates = call["gates"].typed_tensor();
  const TensorArgument* state = call["state"].tensor();
  if (gates == nullptr || state == nullptr) return {};
  return traffic_layer(call, tensors_in(*call.arguments), {6 * element_count(state->sizes)},
                       *gates->type);
}

}  // namespace

std::span<const OperatorRow> recurrent_operators() {
  using enum LayerKind;
  static constexpr OperatorRow rows[] = {
      {"lstm gru rnn_tanh rnn_relu", network, linear,
       "input states weight bias layers - - bidirectional"},
      {"_cudnn_rnn", library_network, linear,
       "input weight weights - states - mode - - layers - - - bidirectional"},
      {"miopen_rnn", library_network, linear,
       "input weight weights states - mode - layers - - - bidirectional"},
      {"lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell", cell, linear,
       "input states weight - bias"},
      {"_thnn_fused_lstm_cell _thnn_fused_gru_cell", cell_kernel, other, "gates - state"},
  };
  return rows;
}

}  // namespace roofline
