// Matrix products, attention, experts; LSTM, GRU and RNN: whole networks, single cells, and the
// kernels of cells.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "model/text.hpp"
#include "operators/table.hpp"
#include "pytorch/operator_table.hpp"

namespace roofline {
namespace {

bool is_matrix(const TensorArgument* tensor) {
  return tensor != nullptr && tensor->sizes.size() == 2 && tensor->type &&
         element_count(tensor->sizes) > 0;
}

Layers linear_layer(const OperatorCall& call, const TensorArgument& from, std::uint64_t rows,
                    std::uint64_t in_features, std::uint64_t out_features, bool bias, Pass pass) {
  const Sizes input{rows, in_features};
  LayerSpec spec = named_layer(LayerKind::linear, "linear",
                               sizes_text(input) + " to " + std::to_string(out_features),
                               multiplied_type(call, *from.type), pass);
  spec.input = operand_of(from, input);
  spec.in_features = in_features;
  spec.out_features = out_features;
  spec.bias = bias;
  return {spec};
}

Layers matmul_layer(const OperatorCall& call, const TensorArgument& a, const TensorArgument& b) {
  LayerSpec spec =
      named_layer(LayerKind::matmul, "matmul", sizes_text(a.sizes) + " by " + sizes_text(b.sizes),
                  multiplied_type(call, *a.type));
  spec.inputs = {operand_of(a, a.sizes), operand_of(b, b.sizes)};
  return {spec};
}

/// A gradient of a linear layer: grad x weight, or transposed(grad) x input.
Layers linear_gradient(const OperatorCall& call, const TensorArgument& a, const TensorArgument& b) {
  const bool weight_gradient = a.is_transposed();
  const std::uint64_t rows = weight_gradient ? a.sizes[1] : a.sizes[0];
  const std::uint64_t out_features = weight_gradient ? a.sizes[0] : a.sizes[1];
  return linear_layer(call, a, rows, b.sizes[1], out_features, false,
                      weight_gradient ? Pass::wgrad : Pass::dgrad);
}

/// The bias of a linear layer is a vector; a matrix of the result's size is added.
Layers matrix_product(const OperatorCall& call) {
  const TensorArgument* a = call["input"].tensor();
  const TensorArgument* b = call["weight"].tensor();
  const TensorArgument* added = call["bias"].tensor();
  if (!is_matrix(a) || !is_matrix(b) || a->sizes[1] != b->sizes[0]) return {};
  if (call.caller("AddmmBackward0") != nullptr || call.caller("MmBackward0") != nullptr)
    return linear_gradient(call, *a, *b);
  const bool has_bias = added != nullptr && added->sizes.size() == 1;
  if (has_bias || b->learned || call.caller("aten::linear") != nullptr)
    return linear_layer(call, *a, a->sizes[0], a->sizes[1], b->sizes[1], has_bias, Pass::fwd);
  return matmul_layer(call, *a, *b);
}

Layers batched_product(const OperatorCall& call) {
  const TensorArgument* a = call["input"].typed_tensor();
  const TensorArgument* b = call["weight"].tensor();
  if (a == nullptr || b == nullptr || a->sizes.size() != 3 || b->sizes.size() != 3 ||
      a->sizes[2] != b->sizes[1] || element_count(a->sizes) == 0 || element_count(b->sizes) == 0)
    return {};
  return matmul_layer(call, *a, *b);
}

Layers linear_alone(const OperatorCall& call) {
  const TensorArgument* input = call["input"].typed_tensor();
  const TensorArgument* weight = call["weight"].tensor();
  if (input == nullptr || !is_matrix(weight) || input->sizes.back() != weight->sizes[1] ||
      element_count(input->sizes) == 0)
    return {};
  return linear_layer(call, *input, element_count(input->sizes) / weight->sizes[1],
                      weight->sizes[1], weight->sizes[0], call["bias"].tensor() != nullptr,
                      Pass::fwd);
}

std::optional<AttentionBackend> backend_of(std::string_view operator_name) {
  for (const AttentionBackend backend : enumerators<AttentionBackend>)
    if (operator_name.find(name_of(backend)) != std::string_view::npos) return backend;
  return std::nullopt;
}

/// Queries, keys and values are [N, heads, length, features], or with the heads third.
template <std::size_t heads_axis>
Layers attention_of_heads(const OperatorCall& call) {
  LayerSpec spec = named_layer(LayerKind::attention, "attention", "", DataType::fp32, call.pass());
  for (const std::string_view name : {"query", "key", "value"}) {
    const TensorArgument* tensor = call[name].tensor();
    auto sizes = tensor != nullptr ? as_heads(tensor->sizes) : std::nullopt;
    if (!sizes || element_count(*sizes) == 0) return {};
    if (tensor->rank() == 4) std::swap((*sizes)[1], (*sizes)[heads_axis]);
    spec.inputs.push_back(operand_of(*tensor, *sizes));
  }
  const TensorArgument* query = call["query"].typed_tensor();
  if (query == nullptr) return {};
  const Sizes& queries = spec.inputs[0].sizes;
  const std::uint64_t keys = spec.inputs[1].sizes[2];
  spec.dtypes.input = multiplied_type(call, *query->type);
  *spec.name += " " + sizes_text(queries);
  if (keys != queries[2]) *spec.name += " to " + std::to_string(keys);
  spec.backend = backend_of(call.name);
  const TensorArgument* mask = call["mask"].tensor();
  spec.masked = mask != nullptr;
  if (mask != nullptr && !mask->strides.empty() && mask->strides.back() != 1 &&
      mask->sizes.back() > 1)
    spec.access = Access::transposed;
  // A flag, or the type of a mask: 1 is causal from the first key, 2 to the last.
  const auto type = call["causal"].integer().value_or(0);
  const bool is_pytorch = call.name.starts_with("aten::");
  if (call["causal"].flag().value_or(type != 0)) set_causal(spec, type == 2 || !is_pytorch);
  return {spec};
}

/// Queries [T, heads, features] on a cache of unknown length: only the queries count.
Layers attention_on_cache(const OperatorCall& call) {
  const TensorArgument* query = call["query"].typed_tensor();
  if (query == nullptr || query->rank() != 3 || call["key"].tensor() == nullptr) return {};
  return traffic_layer(call, {query}, query->sizes, *query->type);
}

/// Tokens [T, H], weights [E, 2 I, H] and [E, H, I], chosen experts [T, K]: each token passes K of
/// E experts, to 2 I features and back from I, as a product with 3 I columns.
Layers fused_experts(const OperatorCall& call) {
  const TensorArgument* tokens = call["input"].tensor();
  const TensorArgument* up = call["weight"].typed_tensor();
  const TensorArgument* down = call["down"].tensor();
  const TensorArgument* shares = call["shares"].tensor();
  if (!is_matrix(tokens) || up == nullptr || down == nullptr || shares == nullptr ||
      up->sizes.size() != 3 || down->sizes.size() != 3 || up->sizes[2] != tokens->sizes[1] ||
      down->sizes[1] != tokens->sizes[1])
    return {};
  const std::uint64_t rows = element_count(shares->sizes);
  const std::uint64_t experts = std::min(up->sizes[0], rows);
  if (experts == 0) return {};
  // fp8 weights multiply fp8 tokens.
  const DataType type = up->type == DataType::fp8 ? DataType::fp8 : *tokens->type;
  LayerSpec spec = named_layer(LayerKind::matmul, base_name(call.name),
                               sizes_text(tokens->sizes) + " through " + std::to_string(experts) +
                                   " experts of " + std::to_string(down->sizes[2]),
                               type);
  spec.dtypes.weight = up->type;
  spec.batch = experts;
  spec.m = (rows + experts - 1) / experts;
  spec.n = up->sizes[1] + down->sizes[2];
  spec.k = tokens->sizes[1];
  return {spec};
}

/// By cuDNN's and MIOpen's modes: RNN with ReLU and tanh, LSTM, GRU. Null for others.
const OperatorRow* recurrent_row(const OperatorCall& call) {
  if (!has_word(call.argument_names, "mode")) return call.row;
  const std::int64_t mode = call["mode"].integer().value_or(-1);
  if (mode < 0 || mode > 3) return nullptr;
  return find_row(mode == 2 ? "lstm" : mode == 3 ? "gru" : "rnn");
}

/// The first of a list.
const TensorArgument* first_tensor(const Argument& argument) {
  return argument.tensors.empty() ? nullptr : &argument.tensors.front();
}

/// Two biases for each layer and direction, whose weights are two as well.
bool has_biases(const OperatorCall& call) {
  constexpr std::int64_t with_biases = 4;
  if (has_word(call.argument_names, "weights"))
    return call["weights"].integer().value_or(with_biases) >= with_biases;
  if (has_word(call.argument_names, "layers")) return call["bias"].flag().value_or(true);
  return call["bias"].tensor() != nullptr;
}

/// Samples, steps and features. A cell runs one step of all samples; so do packed sequences, whose
/// lengths are data.
Sizes recurrent_sizes(const Sizes& stated, bool is_one_step) {
  Sizes sizes = stated;
  if (is_one_step)
    sizes = {element_count(stated) / stated.back(), 1, stated.back()};
  else if (sizes.size() == 2)
    sizes.insert(sizes.begin(), 1);
  return sizes;
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

Layers recurrent_layers(const OperatorCall& stated) {
  OperatorCall call = stated;
  const bool is_network = has_word(call.argument_names, "layers");
  const bool is_library = has_word(call.argument_names, "mode");
  // Packed sequences have the samples of each step behind the input; libraries get them as rows.
  const bool has_steps = is_network && !is_library && argument_at(*call.arguments, 3).is_list;
  if (has_steps) call.argument_names = "input - states weight bias layers - - bidirectional";
  const TensorArgument* input = call["input"].typed_tensor();
  const TensorArgument* state = first_tensor(call["states"]);
  const OperatorRow* row = recurrent_row(call);
  // A list has the hidden states before the cells'; a projection makes them smaller.
  if (input == nullptr || state == nullptr || row == nullptr || state->sizes.empty() ||
      element_count(input->sizes) == 0 ||
      call["states"].tensors.back().sizes.back() != state->sizes.back())
    return {};
  const bool is_packed = has_steps || (is_library && input->rank() == 2);
  const Sizes sizes = recurrent_sizes(input->sizes, !is_network || is_packed);
  Attributes attributes;
  attributes.state = state->sizes.back();
  attributes.bidirectional = call["bidirectional"].flag().value_or(false);
  attributes.batch_first =
      sizes.size() != input->rank() || call["batch_first"].flag().value_or(false);
  attributes.bias = has_biases(call);
  if (is_network) {
    const Sizes layers = call["layers"].integers();
    attributes.layers = layers.empty() ? 0 : layers.front();
  }
  Operation operation{.row = row,
                      .operands = {with_sizes(*input, sizes)},
                      .attributes = attributes,
                      .pass = call.pass()};
  operation.operands.front().type = multiplied_type(call, *input->type);
  return row->build(operation);
}

bool reads_cache(std::string_view operator_name) {
  const CallRow* row = find_operator(operator_name);
  return row != nullptr && row->read == attention_on_cache;
}

std::span<const CallRow> product_operators() {
  using enum LayerKind;
  static constexpr auto heads_second = attention_of_heads<1>;
  static constexpr auto heads_third = attention_of_heads<2>;
  static constexpr CallRow rows[] = {
      {"mm _int_mm _scaled_mm", matrix_product, matmul, "input weight"},
      {"addmm _addmm_activation", matrix_product, matmul, "bias input weight"},
      {"bmm", batched_product, matmul, "input weight"},
      {"baddbmm", batched_product, matmul, "- input weight"},
      {"linear", linear_alone, linear, "input weight bias"},
      {"_scaled_dot_product_flash_attention _scaled_dot_product_flash_attention_for_cpu",
       heads_second, attention, "query key value - causal"},
      {"_scaled_dot_product_cudnn_attention _scaled_dot_product_efficient_attention", heads_second,
       attention, "query key value mask - - causal"},
      {"scaled_dot_product_attention", heads_second, attention, "query key value mask - causal"},
      {"_cudnn_attention_forward", heads_second, attention,
       "query key value mask - - - - - - causal"},
      {"_flash_attention_forward", heads_third, attention, "query key value - - - - - causal"},
      {"_efficient_attention_forward", heads_third, attention,
       "query key value mask - - - - - causal"},
      {"_scaled_dot_product_flash_attention_backward", heads_second, attention,
       "- query key value - - - - - - - causal"},
      {"_scaled_dot_product_efficient_attention_backward", heads_second, attention,
       "- query key value mask - - - - - - causal"},
      {"_cudnn_attention_backward _scaled_dot_product_cudnn_attention_backward", heads_second,
       attention, "- query key value - - - - - - - - - - causal"},
      {"_flash_attention_backward ::_flash_attn_backward", heads_third, attention,
       "- query key value - - - - - - - causal"},
      {"_efficient_attention_backward", heads_third, attention,
       "- query key value mask - - - - - - - - - causal"},
      {"::_flash_attn_forward", heads_third, attention, "query key value - - causal"},
      {"::unified_attention ::unified_attention_with_output ::mha_batch_prefill",
       attention_on_cache, attention, "query key value"},
      {"::inplace_fused_experts ::outplace_fused_experts", fused_experts, matmul,
       "input weight down shares"},

      {"_thnn_fused_lstm_cell _thnn_fused_gru_cell", cell_kernel, other, "gates - state"},
  };
  return rows;
}

}  // namespace roofline
