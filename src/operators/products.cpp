// Products of matrices: linear layers, products of two tensors, attention, experts; recurrent
// networks and cells.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/text.hpp"
#include "operators/building.hpp"
#include "operators/operands.hpp"
#include "operators/table.hpp"

namespace roofline {
namespace {

/// Rows of features, the last axis, times learned weights.
Layers linear_layer(const Operation& operation) {
  const Attributes& attributes = operation.attributes;
  auto spec = layer_of(operation, LayerKind::linear, first_sizes(operation));
  if (!spec || attributes.channels == 0) return {};
  spec->in_features = first_sizes(operation).back();
  spec->out_features = attributes.channels;
  spec->bias = attributes.bias;
  set_weight_type(operation, *spec);
  return named(operation, *spec);
}

/// Two matrices, or two lists of them, [products, rows, columns].
Layers product_of_matrices(const Operation& operation) {
  if (operation.operands.size() != 2) return {};
  const Tensor& b = operation.operands[1];
  const Sizes sizes = first_sizes(operation);
  if (sizes.size() < 2 || sizes.size() != b.rank() || sizes.back() != b.sizes[b.rank() - 2] ||
      element_count(b.sizes) == 0)
    return {};
  auto spec = layer_of(operation, LayerKind::matmul, sizes);
  if (!spec) return {};
  spec->inputs = {*std::exchange(spec->input, {}), operand_of(b, b.sizes)};
  set_weight_type(operation, *spec);
  return named(operation, *spec);
}

/// Queries, keys and values are [N, heads, length, features], or with the heads third.
template <std::size_t heads_axis>
Layers attended(const Operation& operation) {
  const Attributes& attributes = operation.attributes;
  if (operation.operands.size() != 3) return {};
  std::vector<OperandSpec> operands;
  for (const Tensor& tensor : operation.operands) {
    auto sizes = as_heads(tensor.sizes);
    if (!sizes || element_count(*sizes) == 0) return {};
    if (tensor.rank() == 4) std::swap((*sizes)[1], (*sizes)[heads_axis]);
    operands.push_back(operand_of(tensor, *sizes));
  }
  auto spec = layer_of(operation, LayerKind::attention, operands.front().sizes);
  if (!spec) return {};
  spec->input.reset();
  spec->inputs = std::move(operands);
  spec->backend = attributes.backend;
  spec->masked = attributes.masked;
  if (attributes.mask_is_transposed) spec->access = Access::transposed;
  if (attributes.causal) set_causal(*spec, attributes.has_past);
  return named(operation, *spec);
}

/// Queries [T, heads, features] on a cache of unknown length: only the queries count.
Layers queries_alone(const Operation& operation) {
  if (first_sizes(operation).size() != 3) return {};
  Operation alone = operation;
  alone.operands.resize(1);
  return traffic(alone);
}

/// Tokens [T, H], weights [E, 2 I, H] and [E, H, I], chosen experts [T, K]: each token passes K of
/// E experts, to 2 I features and back from I, as a product with 3 I columns.
Layers experts(const Operation& operation) {
  if (operation.operands.size() != 4) return {};
  const Sizes& tokens = operation.operands[0].sizes;
  const Tensor& up = operation.operands[1];
  const Sizes& down = operation.operands[2].sizes;
  if (tokens.size() != 2 || up.rank() != 3 || down.size() != 3 || up.sizes[2] != tokens[1] ||
      down[1] != tokens[1])
    return {};
  const std::uint64_t rows = element_count(operation.operands[3].sizes);
  const std::uint64_t chosen = std::min(up.sizes[0], rows);
  auto spec = layer_of(operation, LayerKind::matmul, tokens);
  if (!spec || chosen == 0) return {};
  spec->input.reset();
  // fp8 weights multiply fp8 tokens.
  if (up.type == DataType::fp8) spec->dtypes.input = DataType::fp8;
  set_weight_type(operation, *spec);
  spec->batch = chosen;
  spec->m = (rows + chosen - 1) / chosen;
  spec->n = up.sizes[1] + down[2];
  spec->k = tokens[1];
  spec->name = std::string(operation.called) + " " + sizes_text(tokens) + " through " +
               std::to_string(chosen) + " experts of " + std::to_string(down[2]);
  return {*spec};
}

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
  static constexpr auto heads_second = attended<1>;
  static constexpr auto heads_third = attended<2>;
  static constexpr OperatorRow rows[] = {
      {"linear", linear_layer, linear, "", "linear: input weight bias"},
      // A linear layer if the second matrix is learned.
      {"matmul", product_of_matrices, matmul, "Gemm Linear MatMul MatMulInteger MatMulNBits Einsum",
       "mm _int_mm _scaled_mm bmm: input weight;"
       "addmm _addmm_activation: bias input weight;"
       "baddbmm: - input weight",
       "FullyConnected MatrixMultiply Gemm gemm"},
      {"experts", experts, matmul, "",
       "::inplace_fused_experts ::outplace_fused_experts: input weight down shares"},

      {"attention", heads_second, attention, "Attention MultiHeadAttention GroupQueryAttention",
       "_scaled_dot_product_flash_attention _scaled_dot_product_flash_attention_for_cpu: "
       "query key value - causal;"
       "_scaled_dot_product_cudnn_attention _scaled_dot_product_efficient_attention: "
       "query key value mask - - causal;"
       "scaled_dot_product_attention: query key value mask - causal;"
       "_cudnn_attention_forward: query key value mask - - - - - - causal;"
       "_scaled_dot_product_flash_attention_backward: - query key value - - - - - - - causal;"
       "_scaled_dot_product_efficient_attention_backward: "
       "- query key value mask - - - - - - causal;"
       "_cudnn_attention_backward _scaled_dot_product_cudnn_attention_backward: "
       "- query key value - - - - - - - - - - causal"},
      {"attention_of_positions", heads_third, attention, "",
       "_flash_attention_forward: query key value - - - - - causal;"
       "_efficient_attention_forward: query key value mask - - - - - causal;"
       "_flash_attention_backward ::_flash_attn_backward: "
       "- query key value - - - - - - - causal;"
       "_efficient_attention_backward: - query key value mask - - - - - - - - - causal;"
       "::_flash_attn_forward: query key value - - causal"},
      {"attention_on_cache", queries_alone, attention, "",
       "::unified_attention ::unified_attention_with_output ::mha_batch_prefill: query key value"},

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
